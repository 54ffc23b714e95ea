import { describe, expect, it } from "vitest";

import { clockText, offsetMinutes, zonedText } from "../../../src/schedules/local-time.ts";

const time = new Date("2026-11-22T01:30:00Z");

describe("zonedText", () => {
  it.each([
    ["Europe/Paris", "2026-11-22 02:30 +01:00"],
    ["UTC", "2026-11-22 01:30 +00:00"],
    ["America/St_Johns", "2026-11-21 22:00 -03:30"],
    ["Asia/Kathmandu", "2026-11-22 07:15 +05:45"],
  ])("shows what clocks show in %s", (timeZone, text) => {
    expect(zonedText(time, timeZone)).toBe(text);
    expect(clockText(time, timeZone)).toBe(text.slice(0, 16));
  });
});

describe("offsetMinutes", () => {
  it("follows the clocks", () => {
    expect(offsetMinutes(new Date("2027-03-28T00:59:59Z"), "Europe/Paris")).toBe(60);
    expect(offsetMinutes(new Date("2027-03-28T01:00:00Z"), "Europe/Paris")).toBe(120);
  });
});
