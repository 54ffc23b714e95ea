import { describe, expect, it } from "vitest";

import { columnReader } from "../../../src/mapping/read-column.ts";
import { CoercionRefusal } from "../../../src/mapping/refusal.ts";

const event = {
  type: "user.created",
  data: { email: "ada@example.com", items: [{ price: 1 }, { price: 2 }], none: null, "": "blank" },
};

describe("columnReader", () => {
  it.each([
    ["type", "user.created"],
    ["data.email", "ada@example.com"],
    ["data.items.1.price", 2],
    ["data.items", event.data.items],
    ["data.none", null],
    ["data.", "blank"],
  ])("reads %s", (column, value) => {
    expect(columnReader(column)(event)).toBe(value);
  });

  it.each([
    "data.phone",
    "data.phone.home",
    "email.data",
    "type.length",
    "data.none.x",
    "data.items.2.price",
    "data.items.-1",
    "data.items.01.price",
    "data.items.length",
    "data.items.map",
    ".data",
    "data..email",
  ])("finds nothing at %s", (column) => {
    expect(columnReader(column)(event)).toBeUndefined();
  });

  it("prefers a column of the very name, also an empty one", () => {
    expect(columnReader("data.email")({ ...event, "data.email": "" })).toBe("");
  });

  it.each([
    "constructor",
    "toString",
    "__proto__",
    "constructor.name",
    "data.constructor",
    "data.__proto__.x",
  ])("reads no inherited member %s", (column) => {
    expect(columnReader(column)(event)).toBeUndefined();
  });

  it("reads an own member of such a name", () => {
    const row = { constructor: Object.fromEntries([["__proto__", { x: 1 }]]) };
    expect(columnReader("constructor.__proto__.x")(row)).toBe(1);
  });

  it("gives back a refusal that is on the way", () => {
    const refusal = new CoercionRefusal("duplicate_json_key", "is twice");
    expect(columnReader("data.email.host")({ data: { email: refusal } })).toBe(refusal);
  });

  it("looks into no object of a class", () => {
    expect(columnReader("at.getTime")({ at: new Date(0) })).toBeUndefined();
    expect(columnReader("at.x")({ at: Object.assign(new Date(0), { x: 1 }) })).toBeUndefined();
  });
});
