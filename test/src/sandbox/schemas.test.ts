import { describe, expect, it } from "vitest";

import { nestingDepthMax } from "../../../src/sandbox/limits.ts";
import type { SandboxStream } from "../../../src/sandbox/schemas.ts";
import { checkRecord } from "../../../src/sandbox/upload/record-check.ts";
import { account, started } from "./sandbox-client.ts";

const event = {
  event_id: "E",
  event: "opened",
  event_timestamp: "2026-01-31T23:59:59Z",
  event_properties: {},
};
const examples: [SandboxStream, Record<string, unknown>, string][] = [
  ["account", { account_id: "A", domain: "a.example", account_properties: {} }, "type"],
  ["contact", { contact_id: "C", email: "c@a.example", contact_properties: {} }, "type"],
  ["account_event", { ...event, account_id: "A" }, "event_type"],
  ["contact_event", { ...event, contact_id: "C" }, "event_type"],
];

describe.each(examples)("checkRecord of %s", (stream, record, typeField) => {
  it("accepts the record with and without its type", () => {
    expect(checkRecord(stream, record)).toEqual([]);
    expect(checkRecord(stream, { ...record, [typeField]: stream })).toEqual([]);
  });

  it("refuses another type, and null for it", () => {
    expect(checkRecord(stream, { ...record, [typeField]: "person" })).toMatchObject([
      { loc: [typeField] },
    ]);
    expect(checkRecord(stream, { ...record, [typeField]: null })).toMatchObject([
      { loc: [typeField] },
    ]);
  });

  it.each(Object.keys(record))("requires %s, of its own type", (field) => {
    const { [field]: _, ...rest } = record;
    expect(checkRecord(stream, rest)).toMatchObject([{ loc: [field] }]);
    expect(checkRecord(stream, { ...record, [field]: 7 })).toMatchObject([{ loc: [field] }]);
  });

  it("refuses members that are not published", () => {
    const other = typeField === "type" ? "event_type" : "type";
    expect(checkRecord(stream, { ...record, [other]: stream })).toMatchObject([{ loc: [other] }]);
    const polluted: unknown = JSON.parse(`{"__proto__":{},${JSON.stringify(record).slice(1)}`);
    expect(checkRecord(stream, polluted)).toMatchObject([{ loc: ["__proto__"] }]);
  });
});

describe("checkRecord", () => {
  it.each([
    ["2026-01-31T23:59:59.123456+05:30", true],
    ["2026-01-31t23:59:59z", true],
    // A leap second, which RFC 3339 allows and few parsers accept.
    ["2026-06-30T23:59:60Z", false],
    ["2026-01-31T23:59:59", false],
    ["2026-02-30T00:00:00Z", false],
    ["2026-01-31", false],
    ["1769904000", false],
  ])("reads %s as a date-time: %s", (time, isOne) => {
    const record = { ...event, account_id: "A", event_timestamp: time };
    expect(checkRecord("account_event", record).length === 0).toBe(isOne);
  });

  it.each([
    [nestingDepthMax - 1, true],
    [nestingDepthMax, true],
    [nestingDepthMax + 1, false],
  ])("accepts %i levels: %s", (levels, isAccepted) => {
    // The record and its properties are two of the levels.
    let value: unknown = 0;
    for (let level = 2; level < levels; level += 1) value = [value];
    const record = { ...account(1), account_properties: { value } };
    expect(checkRecord("account", record).length === 0).toBe(isAccepted);
  });

  it("does not repeat a member name that is too long", () => {
    const record = { ...account(1), ["x".repeat(201)]: 1 };
    expect(checkRecord("account", record)).toMatchObject([{ loc: [], type: "extra_forbidden" }]);
  });
});

describe("records", () => {
  it.each(examples)("shows a %s with its type filled in", async (stream, record, typeField) => {
    const client = await started();
    expect((await client.uploadJson([record], stream)).status).toBe(200);
    const [shown] = await client.records(stream);
    expect(shown).toMatchObject({ stream, record: { ...record, [typeField]: stream } });
  });

  it("answers 422 to an unknown stream", async () => {
    const client = await started();
    expect(await client.get("/_sandbox/records?stream=deal")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "stream"] }] },
    });
  });
});
