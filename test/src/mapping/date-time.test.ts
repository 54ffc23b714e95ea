import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dateOf, dateTimeOf } from "../../../src/mapping/date-time.ts";
import { CoercionRefusal } from "../../../src/mapping/refusal.ts";

function codeOf(result: string | CoercionRefusal): string {
  return result instanceof CoercionRefusal ? result.code : `taken: ${result}`;
}

describe("dateOf", () => {
  it.each(["2024-03-10", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])(
    "takes %s",
    (text) => {
      expect(dateOf(text)).toBe(text);
    },
  );

  it.each([
    "2023-02-29",
    "1900-02-29",
    "2024-04-31",
    "2024-13-01",
    "2024-00-10",
    "2024-01-00",
    "0000-01-01",
    "10000-01-01",
    "2024-3-10",
    "20240310",
    "10.03.2024",
    "2024-03-10T00:00:00Z",
    "infinity",
    20240310,
    new Date(0),
  ])("refuses %s", (value) => {
    expect(codeOf(dateOf(value))).toBe("not_date");
  });
});

describe("dateTimeOf", () => {
  it.each([
    ["2024-03-10T00:00:00Z", "2024-03-10T00:00:00Z"],
    ["2024-03-10T00:00:00.123456789Z", "2024-03-10T00:00:00.123456789Z"],
    ["2024-03-10t23:59:59z", "2024-03-10T23:59:59Z"],
    ["2024-03-10 00:00:00.123456+00", "2024-03-10T00:00:00.123456Z"],
    ["2024-03-10 00:00:00 +0530", "2024-03-10T00:00:00+05:30"],
    ["2024-03-10T00:00-08", "2024-03-10T00:00:00-08:00"],
    ["2024-03-10T00:00:00,5+02:00", "2024-03-10T00:00:00.5+02:00"],
    ["2024-03-10T00:00:00-00:00", "2024-03-10T00:00:00Z"],
    ["2024-03-10T00:00:00+23:59", "2024-03-10T00:00:00+23:59"],
  ])("writes %s as %s", (text, expected) => {
    expect(dateTimeOf(text)).toBe(expected);
  });

  it.each(["2024-03-10T00:00:00", "2024-03-10 00:00", "2024-03-10T00:00:00.5"])(
    "refuses %s for want of a zone",
    (text) => {
      expect(codeOf(dateTimeOf(text))).toBe("datetime_without_zone");
    },
  );

  it.each([
    "2024-03-10",
    "2024-02-30T00:00:00Z",
    "2024-02-30T00:00:00",
    "2024-03-10T24:00:00Z",
    "2024-03-10T23:60:00Z",
    "2024-12-31T23:59:60Z",
    "2024-03-10T00:00:00+24:00",
    "2024-03-10T00:00:00+01:60",
    "2024-03-10T00:00:00.1234567890Z",
    "2024-03-10T00:00:00 CET",
    "20240310T000000Z",
    "0001-01-01 00:00:00+00 BC",
    "1710028800",
    1710028800,
    new Date(0),
  ])("refuses %s", (value) => {
    expect(codeOf(dateTimeOf(value))).toBe("not_datetime");
  });

  it("keeps the instant", () => {
    const offset = fc
      .tuple(fc.constantFrom("+", "-"), fc.nat(23), fc.nat(59))
      .map(([sign, hours, minutes]) => {
        return `${sign}${String(hours).padStart(2, "0")}${String(minutes).padStart(2, "0")}`;
      });
    const moment = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, offset, (date, zone) => {
        const local = date.toISOString().slice(0, -1);
        const expected = new Date(`${local}${zone.slice(0, 3)}:${zone.slice(3)}`).getTime();
        const written = dateTimeOf(`${local.replace("T", " ")}${zone}`);
        expect(typeof written === "string" && new Date(written).getTime()).toBe(expected);
      }),
    );
  });
});
