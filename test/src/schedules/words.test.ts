import { describe, expect, it } from "vitest";

import { scheduleWords } from "../../../src/schedules/words.ts";

describe("scheduleWords", () => {
  it.each([
    ["30 2 * * *", "At 02:30, every day (Europe/Paris)"],
    ["0 14 * * 1-5", "At 14:00, Monday through Friday (Europe/Paris)"],
    ["0 0 1 * MON", "At 00:00, on day 1 of the month, and on Monday (Europe/Paris)"],
  ])("puts %s into words", (cron, words) => {
    expect(scheduleWords({ cron, timeZone: "Europe/Paris" })).toBe(words);
  });
});
