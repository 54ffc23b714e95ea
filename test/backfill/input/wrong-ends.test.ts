import { describe, expect, it } from "vitest";

import { refused } from "./refused.ts";
import type { WrongInput } from "./refused.ts";

const forms = "a date such as 2026-10-01, a time such as 2026-10-01T14:30";

const inputs: readonly WrongInput[] = [
  {
    raw: { sync: "accounts", from: true },
    at: "from",
    fix: `must be ${forms}`,
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "" },
    at: "from",
    fix: `"" is neither ${forms}`,
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "yesteday" },
    at: "from",
    fix: '(did you mean "yesterday"?)',
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "2026-02-30" },
    at: "from",
    fix: '"2026-02-30" is in no calendar: write a date such as 2026-10-01',
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "2026-10-01 25:00" },
    at: "from",
    fix: "is in no calendar",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "2026-10-01T12:60:00Z" },
    at: "from",
    fix: "is in no calendar",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "01/10/2026" },
    at: "from",
    fix: "may be two days: write the year first",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "0206-10-01" },
    at: "from",
    fix: "must lie in the years 1900 to 2999: leave it out for the beginning",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "last 3 months" },
    at: "from",
    fix: 'write "last 90 days"',
    corrected: { sync: "accounts", from: "last 90 days" },
  },
  {
    raw: { sync: "accounts", from: "last 99 years" },
    at: "from",
    fix: 'write "last 9999 days"',
    corrected: { sync: "accounts", from: "last 9999 days" },
  },
  {
    raw: { sync: "accounts", from: "last 0 days" },
    at: "from",
    fix: "is neither",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "last 2 fortnights" },
    at: "from",
    fix: "is neither",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "tomorrow 14:30" },
    at: "from",
    fix: "is neither",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "https://example.com:80" },
    at: "from",
    fix: 'nor a place such as "line 48211"',
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "line 5\u001b[2J.csv:1" },
    at: "from",
    fix: '"line 5 [2J.csv:1" is neither',
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: 1e20 },
    at: "from",
    fix: "write it in quotes",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "2026-10-01 00:00 Europe/Pari" },
    at: "from",
    fix: 'no time zone is called "Europe/Pari"',
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "2026-11-23" },
    at: "from",
    fix: "must be earlier than now, which is 2026-11-22 14:30:15.120 Europe/Paris",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "now" },
    at: "from",
    fix: "must be earlier than now",
    corrected: { sync: "accounts", from: "last 30 days" },
  },
  {
    raw: { sync: "accounts", from: "x", to: "2025-06-15" },
    at: "from",
    fix: "is neither",
    corrected: { sync: "accounts", from: "2025-05-16", to: "2025-06-15" },
  },
  {
    raw: { sync: "accounts", from: "x", to: "line 5" },
    at: "from",
    fix: "is neither",
    corrected: { sync: "accounts", to: "line 5" },
  },
  {
    raw: { sync: "accounts", from: "x", to: "1900-01-02" },
    at: "from",
    fix: "is neither",
    corrected: { sync: "accounts", to: "1900-01-02" },
  },
  {
    raw: { sync: "accounts", to: "31.12.2026" },
    at: "to",
    fix: "write the year first",
    corrected: { sync: "accounts", to: "now" },
  },
  {
    raw: { sync: "accounts", to: "tonight" },
    at: "to",
    fix: `"tonight" is neither ${forms}, "today", "now"`,
    corrected: { sync: "accounts", to: "now" },
  },
  {
    raw: { sync: "accounts", to: "3000-01-01" },
    at: "to",
    fix: "leave it out for the end of the source",
    corrected: { sync: "accounts", to: "now" },
  },
  {
    raw: { sync: "accounts", to: "last 6 hours" },
    at: "to",
    fix: "says where a span begins: move it to from",
    corrected: { sync: "accounts", from: "last 6 hours" },
  },
  {
    raw: { sync: "accounts", from: "2026-10-02", to: "2026-10-01" },
    at: "to",
    fix: "must be later than from, because the span ends before it: from is 2026-10-02 00:00 Europe/Paris, to is 2026-10-01 00:00 Europe/Paris",
    corrected: { sync: "accounts", from: "2026-10-01", to: "2026-10-02" },
  },
  {
    raw: { sync: "accounts", from: "line 900", to: "line 100" },
    at: "to",
    fix: "must be later than from, because the span ends before it: from is line 900, to is line 100",
    corrected: { sync: "accounts", from: "line 100", to: "line 900" },
  },
  {
    raw: { sync: "accounts", from: "byte 7", to: "byte 7" },
    at: "to",
    fix: "must be later than from",
    corrected: { sync: "accounts", to: "byte 7" },
  },
  {
    raw: { sync: "accounts", from: "today", to: "today" },
    at: "to",
    fix: "must be later than from",
    corrected: { sync: "accounts", from: "last 30 days", to: "today" },
  },
  {
    raw: { sync: "accounts", from: "last 6 hours", to: "yesterday" },
    at: "to",
    fix: "must be later than from",
    corrected: { sync: "accounts", from: "last 30 days", to: "yesterday" },
  },
];

describe("readBackfillInput", () => {
  it.each(inputs)("says what is wrong with $at in $raw", ({ raw, ...expected }) => {
    const { faults, corrected } = refused(raw);
    expect(faults.map(({ at }) => at)).toEqual([expected.at]);
    expect(faults[0]?.message).toContain(expected.fix);
    expect(corrected).toEqual(expected.corrected);
  });
});
