import { describe } from "vitest";

import { itSaysWhatIsWrong } from "./refused.ts";

const forms = "a date such as 2026-10-01, a time such as 2026-10-01T14:30";

describe("readBackfillInput", () => {
  itSaysWhatIsWrong({
    from: [
      [{ from: true }, `must be ${forms}`, { from: "last 30 days" }],
      [{ from: "" }, `"" is neither ${forms}`, { from: "last 30 days" }],
      [{ from: "yesteday" }, '(did you mean "yesterday"?)', { from: "last 30 days" }],
      [
        { from: "2026-02-30" },
        '"2026-02-30" is in no calendar: write a date such as 2026-10-01',
        { from: "last 30 days" },
      ],
      [{ from: "2026-10-01 25:00" }, "is in no calendar", { from: "last 30 days" }],
      [{ from: "2026-10-01T12:60:00Z" }, "is in no calendar", { from: "last 30 days" }],
      [{ from: "01/10/2026" }, "may be two days: write the year first", { from: "last 30 days" }],
      [
        { from: "0206-10-01" },
        "must be in the years 1900 to 2999: leave it out for the beginning",
        { from: "last 30 days" },
      ],
      [{ from: "last 3 months" }, 'write "last 90 days"', { from: "last 90 days" }],
      [{ from: "last 99 years" }, 'write "last 9999 days"', { from: "last 9999 days" }],
      [{ from: "last 0 days" }, "is neither", { from: "last 30 days" }],
      [{ from: "last 2 fortnights" }, "is neither", { from: "last 30 days" }],
      [{ from: "tomorrow 14:30" }, "is neither", { from: "last 30 days" }],
      [
        { from: "https://example.com:80" },
        'nor a place such as "line 48211"',
        { from: "last 30 days" },
      ],
      [
        { from: "line 5\u001b[2J.csv:1" },
        '"line 5 [2J.csv:1" is neither',
        { from: "last 30 days" },
      ],
      [{ from: 1e20 }, "write it in quotes", { from: "last 30 days" }],
      [
        { from: "2026-10-01 00:00 Europe/Pari" },
        'no time zone is called "Europe/Pari"',
        { from: "last 30 days" },
      ],
      [
        { from: "2026-11-23" },
        "must be earlier than now, which is 2026-11-22 14:30:15.120 Europe/Paris",
        { from: "last 30 days" },
      ],
      [{ from: "now" }, "must be earlier than now", { from: "last 30 days" }],
      [{ from: "x", to: "2025-06-15" }, "is neither", { from: "2025-05-16", to: "2025-06-15" }],
      [{ from: "x", to: "line 5" }, "is neither", { to: "line 5" }],
      [{ from: "x", to: "1900-01-02" }, "is neither", { to: "1900-01-02" }],
    ],
    to: [
      [{ to: "31.12.2026" }, "write the year first", { to: "now" }],
      [{ to: "tonight" }, `"tonight" is neither ${forms}, "today", "now"`, { to: "now" }],
      [{ to: "3000-01-01" }, "leave it out for the end of the source", { to: "now" }],
      [
        { to: "last 6 hours" },
        'says where a span begins: move it to "from"',
        { from: "last 6 hours" },
      ],
      [
        { from: "2026-10-02", to: "2026-10-01" },
        "must be later than from, because the span ends before it: from is 2026-10-02 00:00 " +
          "Europe/Paris, to is 2026-10-01 00:00 Europe/Paris",
        { from: "2026-10-01", to: "2026-10-02" },
      ],
      [
        { from: "line 900", to: "line 100" },
        "must be later than from, because the span ends before it: from is line 900, to is line 100",
        { from: "line 100", to: "line 900" },
      ],
      [{ from: "byte 7", to: "byte 7" }, "must be later than from", { to: "byte 7" }],
      [
        { from: "today", to: "today" },
        "must be later than from",
        { from: "last 30 days", to: "today" },
      ],
      [
        { from: "last 6 hours", to: "yesterday" },
        "must be later than from",
        { from: "last 30 days", to: "yesterday" },
      ],
    ],
  });
});
