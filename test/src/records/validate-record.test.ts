import { describe, expect, it } from "vitest";

import { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import { recordDepthMax } from "../../../src/records/json-value.ts";
import { shapeOf, streams } from "../../../src/records/streams.ts";
import type { Stream, StreamRecord } from "../../../src/records/streams.ts";
import { validateRecord } from "../../../src/records/validate-record.ts";

const valid: Readonly<Record<Stream, StreamRecord>> = {
  account: {
    type: "account",
    account_id: "007",
    domain: "example.com",
    account_properties: { name: "Société", employees: 12, tags: ["a", null], parent: { id: 1 } },
  },
  contact: {
    type: "contact",
    contact_id: "c1",
    email: "ada@example.com",
    contact_properties: {},
  },
  account_event: {
    event_type: "account_event",
    event_id: "e1",
    account_id: "007",
    event: "signed_up",
    event_timestamp: "2024-03-10T00:00:00Z",
    event_properties: {},
  },
  contact_event: {
    event_type: "contact_event",
    event_id: "e1",
    contact_id: "c1",
    event: "signed_up",
    event_timestamp: "2024-03-10T01:02:03.123456+05:30",
    event_properties: {},
  },
};

function faultOf(changes: StreamRecord, stream: Stream = "account"): unknown {
  const fault = validateRecord(stream)({ ...valid[stream], ...changes });
  return fault && [fault.code, fault.field];
}

/** Why a record is refused if its only property has this value. */
function reasonOf(value: unknown): string | undefined {
  return validateRecord("account")({ ...valid.account, account_properties: { p: value } })?.reason;
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

describe("validateRecord", () => {
  it.each(streams)("passes a record of the stream %s", (stream) => {
    expect(validateRecord(stream)(valid[stream])).toBeUndefined();
  });

  it.each(streams)("asks for every field of the stream %s", (stream) => {
    const { textFields, propertiesField } = shapeOf(stream);
    for (const field of [...textFields, propertiesField]) {
      expect(faultOf({ [field]: undefined }, stream)).toEqual(["required", field]);
      expect(faultOf({ [field]: null }, stream)).toEqual(["required", field]);
      expect(faultOf({ [field]: 7 }, stream)).toEqual(["wrong_type", field]);
    }
    for (const field of textFields) {
      expect(faultOf({ [field]: "" }, stream)).toEqual(["required", field]);
      expect(faultOf({ [field]: "\ud800" }, stream)).toEqual(["lone_surrogate", field]);
    }
  });

  it("asks for the member that names the stream", () => {
    expect(faultOf({ type: undefined })).toEqual(["required", "type"]);
    expect(faultOf({ type: "contact" })).toEqual(["wrong_type", "type"]);
    expect(faultOf({ event_type: "account_event" })).toEqual(["unknown_field", "event_type"]);
  });

  it.each(["name", "constructor", "toString"])("refuses the unknown field %s", (field) => {
    expect(faultOf({ [field]: "x" })).toEqual(["unknown_field", field]);
  });

  it("refuses an unknown field named __proto__", () => {
    const record = Object.fromEntries([...Object.entries(valid.account), ["__proto__", {}]]);
    expect(validateRecord("account")(record)).toMatchObject({
      code: "unknown_field",
      field: "__proto__",
    });
  });

  it.each([
    "2024-03-10",
    "2024-03-10T00:00:00",
    "2024-02-30T00:00:00Z",
    "2024-03-10 00:00:00Z",
    "10/03/2024",
    "now",
  ])("refuses the event time %s", (text) => {
    expect(faultOf({ event_timestamp: text }, "account_event")).toEqual([
      "not_datetime",
      "event_timestamp",
    ]);
  });

  it.each([
    [Number.NaN, "not_json"],
    [1n, "not_json"],
    [new Date(0), "not_json"],
    [() => 1, "not_json"],
    [["\udfff"], "lone_surrogate"],
  ])("refuses %s as a property and names the property", (value, code) => {
    expect(faultOf({ account_properties: { good: 1, bad: value } })).toEqual([
      code,
      "account_properties.bad",
    ]);
  });

  it("says of what a source could not give what the source says, however deep it lies", () => {
    const refused = new CoercionRefusal("duplicate_json_key", "is twice in one JSON object");
    const itself: unknown[] = [1n];
    itself.push(itself);
    for (const value of [refused, { absent: undefined, a: [1, { b: refused }] }]) {
      expect(reasonOf(value)).toBe("is twice in one JSON object");
      expect(faultOf({ account_properties: { p: value } })).toEqual([
        "duplicate_json_key",
        "account_properties.p",
      ]);
    }
    expect(reasonOf([1n, refused])).toContain("a bigint");
    expect(reasonOf(itself)).toContain("a bigint");
  });

  it("refuses a property whose name is half a surrogate pair", () => {
    expect(faultOf({ account_properties: { "a\ud800": 1 } })).toEqual([
      "lone_surrogate",
      "account_properties.a\ufffd",
    ]);
  });

  it.each([[[]], ["text"], [new Map()]])("refuses %s in place of the properties", (value) => {
    expect(faultOf({ account_properties: value })).toEqual(["wrong_type", "account_properties"]);
  });

  it("bounds the depth, the properties object included", () => {
    const depths = [recordDepthMax - 1, recordDepthMax, recordDepthMax + 1];
    const faults = depths.map((depth) =>
      faultOf({ account_properties: { deep: nested(depth - 1) } }),
    );
    expect(faults).toEqual([undefined, undefined, ["too_deep", "account_properties.deep"]]);
  });

  it("names no value and no key below a property", () => {
    const secret = { "joe@example.com": { card: Number.NaN, note: "4111" } };
    const fault = validateRecord("account")({
      ...valid.account,
      account_properties: { payment: secret },
    });
    expect(fault?.field).toBe("account_properties.payment");
    expect(JSON.stringify(fault)).not.toMatch(/joe|4111|card/);
  });
});
