import { describe, expect, it } from "vitest";

import { parseHttpDate, retryAfterMs } from "../../../../src/api/http/retry-after.ts";

const now = Date.UTC(2026, 5, 1);
const date = "Sun, 06 Nov 1994 08:49:37 GMT";
const at = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("parseHttpDate", () => {
  it.each([date, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])(
    "reads %s",
    (value) => {
      expect(parseHttpDate(value, now)).toBe(at);
    },
  );

  it.each([
    ["76", 2076],
    ["77", 1977],
  ])("takes the two-digit year %s for %i", (digits, year) => {
    const parsed = parseHttpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`, now);
    expect(new Date(parsed ?? 0).getUTCFullYear()).toBe(year);
  });

  it.each([
    "",
    "soon",
    "1994-11-06T08:49:37Z",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Abc 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 CET",
  ])("reads nothing from %j", (value) => {
    expect(parseHttpDate(value, now)).toBeUndefined();
  });
});

describe("retryAfterMs", () => {
  it.each([
    ["120", 120_000],
    ["1", 1_000],
    ["0", 1_000],
    ["86400", 86_400_000],
    ["1000000000000", 1e15],
  ])("takes %s seconds for %i ms", (hint, ms) => {
    expect(retryAfterMs({ "retry-after": hint }, now)).toBe(ms);
  });

  it.each([undefined, "", "-5", "1.5", "abc", "1e3", "0x10", "120, 120", ["120", "120"]])(
    "finds no hint in %j",
    (hint) => {
      expect(retryAfterMs({ "retry-after": hint }, now)).toBeUndefined();
    },
  );

  it.each([
    "Sun, 06 Nov 1994 08:51:37 GMT",
    "Sunday, 06-Nov-94 08:51:37 GMT",
    "Sun Nov  6 08:51:37 1994",
  ])("subtracts the answer's own date from %s, whatever our clock says", (hint) => {
    expect(retryAfterMs({ "retry-after": hint, date }, now)).toBe(120_000);
  });

  it("waits a second for a date gone by", () => {
    expect(retryAfterMs({ "retry-after": "Sun, 06 Nov 1994 08:49:36 GMT", date }, now)).toBe(1_000);
  });

  it("turns to our clock when the answer has no date", () => {
    expect(retryAfterMs({ "retry-after": "Mon, 01 Jun 2026 00:00:30 GMT" }, now)).toBe(30_000);
  });
});
