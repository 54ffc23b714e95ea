import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Received } from "../../../connectors/contract/push.ts";
import { receiveWebhook, signWebhook } from "../../../connectors/webhook/receive.ts";
import { deliveryEventsMax, jsonValuesMax } from "../../../src/limits.ts";
import { configOf, incoming, openConfig, published, publishedAt } from "./support.ts";

const open = openConfig();

function received(body: string | Uint8Array): Received {
  return receiveWebhook({ config: open, request: incoming({}, body) });
}

/** The events into which a delivery was cut. */
function eventsOf(body: string): readonly string[] {
  const result = received(body);
  return "events" in result ? result.events.map(({ json }) => json) : [`refused: ${result.reason}`];
}

/** A delivery of so many values in a list. */
function listOf(values: number): string {
  return `{"a":[${Array<string>(values).fill("0").join()}]}`;
}

/** The values of a delivery as parsed by other code. */
function valuesIn(body: Uint8Array): readonly unknown[] | "refused" {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const value: unknown = JSON.parse(text);
    return [value].flat();
  } catch {
    return "refused";
  }
}

const badBodies = [
  "",
  " ",
  "{",
  "not json",
  '{"a":1}{"b":2}',
  '{"a":1},',
  "[1,]",
  "{'a':1}",
  "NaN",
  "a=1&b=2",
];

describe("receiveWebhook", () => {
  it("keeps an event as it is written", () => {
    const json = '{ "id": 9007199254740993, "rate": 0.10, "name": "\\u00e9é" }';
    expect(eventsOf(json)).toEqual([json]);
    expect(eventsOf(`\r\n\t ${json} \n`)).toEqual([json]);
  });

  it("keeps each event of a list as it is written", () => {
    expect(eventsOf('[ {"id":1} ,\n{"id": 9007199254740993, "n": [1, {"]": "},"}]} ]')).toEqual([
      '{"id":1}',
      '{"id": 9007199254740993, "n": [1, {"]": "},"}]}',
    ]);
  });

  it("keeps events that are no object: reading them tells why they are not sent", () => {
    expect(eventsOf('[1, "a", null, [], true]')).toEqual(["1", '"a"', "null", "[]", "true"]);
    expect(eventsOf('"a"')).toEqual(['"a"']);
    expect(eventsOf("0")).toEqual(["0"]);
    expect(eventsOf("null")).toEqual(["null"]);
  });

  it("finds nothing to keep in an empty list", () => {
    expect(received(" [ ] ")).toEqual({ events: [] });
  });

  it.each(badBodies)("refuses %j as no JSON", (body) => {
    expect(received(body)).toEqual({
      refuse: 400,
      reason: "not_json",
      message: "The body is not JSON: it must be one JSON object, or an array of them.",
    });
  });

  it.each([
    ["an overlong slash", [0xc0, 0xaf]],
    ["a lone continuation", [0x80]],
    ["a cut character", [0xe2, 0x82]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
    ["Latin-1", [0xe9]],
  ])("refuses %s inside a text as broken UTF-8", (_, bytes) => {
    const quote = 0x22;
    expect(received(Uint8Array.from([quote, ...bytes, quote]))).toEqual({
      refuse: 400,
      reason: "bad_utf8",
      message: "The body is not UTF-8.",
    });
  });

  it("bounds the events of one delivery", () => {
    const counts = [deliveryEventsMax - 1, deliveryEventsMax, deliveryEventsMax + 1].map(
      (count) => {
        const result = received(`[${Array<string>(count).fill("{}").join(",")}]`);
        return "events" in result ? result.events.length : result;
      },
    );
    expect(counts).toEqual([
      deliveryEventsMax - 1,
      deliveryEventsMax,
      {
        refuse: 400,
        reason: "too_many_events",
        message: "The array holds more than 1000 events: post them in several deliveries.",
      },
    ]);
  });

  it("bounds the values of one delivery, and counts none in a text", () => {
    expect(eventsOf(listOf(jsonValuesMax - 1))).toHaveLength(1);
    expect(eventsOf(`{"a":"\\\\\\"${"[,{".repeat(jsonValuesMax)}"}`)).toHaveLength(1);
    expect(received(listOf(jsonValuesMax))).toEqual({
      refuse: 400,
      reason: "too_many_values",
      message: "There are more than 500000 values in it: post it in several deliveries.",
    });
  });

  it("stands JSON bombs (T8)", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(eventsOf(`{"a":${deep}}`)).toEqual([`{"a":${deep}}`]);
    expect(eventsOf('{"__proto__":{"polluted":true},"a":1e400}')).toHaveLength(1);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    const lone = String.raw`{"a":"\ud800"}`;
    expect(eventsOf(lone)).toEqual([lone]);
    const bomb = openConfig({ event_id: { pointer: "/0/0/0/0" } });
    expect(receiveWebhook({ config: bomb, request: incoming({}, `[${deep}]`) })).toEqual({
      events: [{ json: deep, id: undefined }],
    });
  });

  it("takes any bytes without throwing", () => {
    const config = openConfig({ event_id: { pointer: "/a/0" } });
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.stringMatching(/^[[\]{}",:\\ a0]{0,30}$/).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const result = receiveWebhook({ config, request: incoming({}, body) });
        const values =
          "events" in result
            ? result.events.map(({ json }): unknown => JSON.parse(json))
            : "refused";
        expect(values).toEqual(valuesIn(body));
      }),
    );
  });

  describe("of a connection with a secret", () => {
    const config = configOf({ secret: published.secret });
    const headers = {
      "webhook-id": published.id,
      "webhook-timestamp": published.timestamp,
      "webhook-signature": published.signature,
    };

    it("takes what is signed, with its id", () => {
      expect(receiveWebhook({ config, request: incoming(headers, published.body) })).toEqual({
        events: [{ json: published.body, id: published.id }],
      });
    });

    it.each([...badBodies, published.body.replace(" ", "")])(
      "does not look into %j, which nobody signed",
      (body) => {
        expect(receiveWebhook({ config, request: incoming(headers, body) })).toEqual({
          refuse: 401,
          reason: "bad_signature",
        });
      },
    );

    it.each(badBodies.map((body) => [body]))("refuses %j, though it is signed", (body) => {
      const signed = signWebhook({ config, body: Buffer.from(body), id: "a", at: publishedAt });
      expect(receiveWebhook({ config, request: incoming(signed, body) })).toMatchObject({
        refuse: 400,
        reason: "not_json",
      });
    });

    it("believes no signature of another connection (T16)", () => {
      const other = configOf({ path: "/hooks/other", secret: "another secret of theirs" });
      expect(receiveWebhook({ config: other, request: incoming(headers, published.body) })).toEqual(
        {
          refuse: 401,
          reason: "bad_signature",
        },
      );
    });

    it("calls the events of a delivery the same when it comes again", () => {
      const body = Buffer.from('[{"a":1},{"a":1}]');
      const ids = [publishedAt, publishedAt + 60_000].map((at) => {
        const signed = signWebhook({ config, body, id: "msg_1", at });
        return receiveWebhook({ config, request: incoming(signed, body, at) });
      });
      expect(ids[0]).toEqual(ids[1]);
      expect(ids[0]).toEqual({
        events: [
          { json: '{"a":1}', id: "msg_1#0" },
          { json: '{"a":1}', id: "msg_1#1" },
        ],
      });
    });
  });
});

describe("signWebhook", () => {
  const body = Buffer.from('{"id":"evt_1"}');
  const secret = "a-secret-of-many-bytes";
  const eventId = { header: "x-event-id" };

  it.each([
    ["Standard Webhooks", { secret }, "msg_1"],
    ["Standard Webhooks with an id of the sender's own", { secret, event_id: eventId }, "msg_1"],
    [
      "Standard Webhooks, a secret being changed",
      { secret: [secret, "old-secret-of-many"] },
      "msg_1",
    ],
    ["GitHub", { signature: "github", secret }, "msg_1"],
    ["Stripe", { signature: "stripe", secret }, "evt_1"],
    ["a bearer token", { signature: "bearer", secret }, undefined],
    ["a bearer token and an id", { signature: "bearer", secret, event_id: eventId }, "msg_1"],
    ["nothing", { signature: "none", allow_unsigned: true }, undefined],
    ["nothing but an id", { signature: "none", allow_unsigned: true, event_id: eventId }, "msg_1"],
  ])("makes deliveries that are believed: %s", (_, members, id) => {
    const config = configOf(members);
    const headers = signWebhook({ config, body, id: "msg_1", at: publishedAt });
    expect(receiveWebhook({ config, request: incoming(headers, body) })).toEqual({
      events: [{ json: '{"id":"evt_1"}', id }],
    });
  });
});
