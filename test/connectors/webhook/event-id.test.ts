import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { WebhookConfig } from "../../../connectors/webhook/config.ts";
import { eventIdOf, eventNamer } from "../../../connectors/webhook/event-id.ts";
import { configOf, incoming, openConfig } from "./support.ts";

const secret = "a-secret-of-many-bytes";

type Delivery = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timestamp?: string;
  readonly events?: readonly string[];
};

/** The ids of the events of a delivery. */
function namesOf(
  config: WebhookConfig,
  { headers = {}, timestamp, events = ["{}"] }: Delivery,
): readonly (string | undefined)[] {
  const request = incoming(headers, events.join(","));
  const nameOf = eventNamer(config, { request, vouched: { timestamp } });
  return events.map((json, index) => nameOf({ json, index }));
}

/** The id of a single event with this in its header. */
function nameAlone(config: WebhookConfig, id: string): string | undefined {
  const request = incoming({ "x-event-id": id }, "{}");
  return eventNamer(config, { request, vouched: {} })({ json: "{}", index: undefined });
}

describe("eventIdOf", () => {
  it("knows what each kind of sender calls its events", () => {
    const signatures = ["standard", "github", "stripe", "bearer"];
    expect(signatures.map((signature) => eventIdOf(configOf({ signature, secret })))).toEqual([
      { header: "webhook-id" },
      { header: "x-github-delivery" },
      { pointer: "/id" },
      undefined,
    ]);
    expect(eventIdOf(openConfig())).toBeUndefined();
  });

  it("prefers what the configuration says", () => {
    const eventId = { pointer: "/event/id" };
    expect(eventIdOf(configOf({ secret, event_id: eventId }))).toEqual(eventId);
  });
});

describe("eventNamer", () => {
  const byHeader = openConfig({ event_id: { header: "X-Event-Id" } });
  const byPointer = openConfig({ event_id: { pointer: "/event/id" } });

  it("names events by a header and their places", () => {
    const headers = { "x-event-id": "evt.1" };
    expect(namesOf(byHeader, { headers, events: ["{}", "{}", "{}"] })).toEqual([
      "evt.1#0",
      "evt.1#1",
      "evt.1#2",
    ]);
  });

  it("names an event that came alone as its sender does", () => {
    expect(nameAlone(byHeader, "evt.1")).toBe("evt.1");
    // Otherwise it would equal the name of the second event of the list "evt".
    expect(nameAlone(byHeader, "evt#1")).toBe("evt#1#0");
  });

  it("names an event as its sender wrote the header, outside ASCII too", () => {
    const asNodeReadsIt = Buffer.from("événement-7").toString("latin1");
    expect(nameAlone(byHeader, asNodeReadsIt)).toBe("événement-7");
    // Without valid UTF-8, each byte is a character.
    expect(nameAlone(byHeader, "\u00e9-7")).toBe("\u00e9-7");
  });

  it("never gives events of two deliveries one name because of how their ids end", () => {
    const [, second] = namesOf(byHeader, { headers: { "x-event-id": "a" }, events: ["1", "2"] });
    expect(namesOf(byHeader, { headers: { "x-event-id": "a#1" } })).not.toContain(second);
  });

  it.each([[{}], [{ "x-event-id": "" }]])("names nothing by the headers %j", (headers) => {
    expect(namesOf(byHeader, { headers })).toEqual([undefined]);
  });

  it.each(["constructor", "tostring", "__proto__"])(
    "takes the header %s from requests alone",
    (header) => {
      expect(namesOf(openConfig({ event_id: { header } }), {})).toEqual([undefined]);
    },
  );

  it.each([
    ['{"event":{"id":"evt_1"}}', "evt_1"],
    [String.raw`{"event":{"id":"\u00e9\n"}}`, "é\n"],
    ['{"event":{"id":5}}', "5"],
    ['{"event":{"id":-9007199254740993123}}', "-9007199254740993123"],
    ['{"event":{"id":""}}', undefined],
    ['{"event":{"id":1.5}}', undefined],
    ['{"event":{"id":1e3}}', undefined],
    ['{"event":{"id":null}}', undefined],
    ['{"event":{"id":true}}', undefined],
    ['{"event":{"id":{"id":"x"}}}', undefined],
    ['{"event":{"id":["x"]}}', undefined],
    ['{"event":"id"}', undefined],
    ["{}", undefined],
    ['"event"', undefined],
    ["null", undefined],
  ])("names the event %s by a pointer: %j", (json, id) => {
    expect(namesOf(byPointer, { events: [json] })).toEqual([id]);
  });

  it("names each event of a list by itself", () => {
    const events = ['{"event":{"id":"a"}}', "{}", '{"event":{"id":"b"}}'];
    expect(namesOf(byPointer, { events })).toEqual(["a", undefined, "b"]);
  });

  it("names what has no id by the signed timestamp, its place and the body", () => {
    const config = configOf({ signature: "stripe", secret });
    const events = ['{"id":"evt_1"}', "{}"];
    const digest = createHash("sha256").update(events.join(",")).digest("hex");
    const names = namesOf(config, { timestamp: "1614265330", events });
    expect(names).toEqual(["evt_1", `1614265330#1#${digest}`]);
    expect(namesOf(config, { timestamp: "1614265331", events })).not.toContain(names[1]);
    expect(namesOf(config, { timestamp: "1614265330", events: ["{ }", "{}"] })).not.toContain(
      names[1],
    );
  });

  it("lets every delivery count where nothing names it and no timestamp is signed", () => {
    expect(namesOf(openConfig(), { headers: { "x-event-id": "a" } })).toEqual([undefined]);
  });
});
