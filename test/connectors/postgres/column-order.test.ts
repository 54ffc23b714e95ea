import { describe, expect, it } from "vitest";

import { type ColumnOrder, orderDifference } from "../../../connectors/postgres/column-order.ts";

const of = (columns: Readonly<Record<string, string>>, reading = "t"): ColumnOrder => {
  return { of: reading, place: "", columns, key: [] };
};

describe("orderDifference", () => {
  it.each([
    ["integer", "bigint"],
    ["bigint", "smallint"],
    ["bigint", "numeric"],
    ["text collate C", "character varying(9) collate C"],
    ["timestamp(3) with time zone", "timestamp with time zone"],
    ["timestamp(0) without time zone", "timestamp(3) without time zone"],
  ])("finds none from %s to %s", (was, is) => {
    expect(orderDifference(of({ a: was }), of({ a: is }))).toBeUndefined();
  });

  it.each([
    ["numeric", "integer"],
    ["integer", "numeric(9,2)"],
    ["bigint", "text collate C"],
    ["text collate C", "text collate default"],
    ["text collate C", "citext collate C"],
    ["timestamp with time zone", "timestamp(3) with time zone"],
    ["timestamp(3) with time zone", "timestamp(3) without time zone"],
    ["timestamp with time zone", "time with time zone"],
    ["date", "timestamp with time zone"],
  ])("finds one from %s to %s", (was, is) => {
    expect(orderDifference(of({ b: "date", a: was }), of({ a: is, b: "date" }))).toBe(
      `the column "a" is ${is} now, and was ${was} when the checkpoint was kept: rows come in another order`,
    );
  });

  it("says nothing of columns that are not known, or not named any more, or of another reading", () => {
    const date = of({ a: "date" });
    expect(orderDifference(undefined, date)).toBeUndefined();
    expect(orderDifference(date, of({ b: "text" }))).toBeUndefined();
    expect(orderDifference(date, undefined)).toBeUndefined();
    expect(orderDifference(date, of({ a: "text" }, "another"))).toBeUndefined();
  });
});
