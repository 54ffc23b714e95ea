import { createHash, createHmac } from "node:crypto";

import type { IncomingEvent } from "../../../connectors/contract/push.ts";
import type { DeliveryCase } from "../../../testing/delivery.ts";

const open = { signature: "none", secret: undefined, allow_unsigned: true };

/** Events without ids. */
function unnamed(...jsons: readonly string[]): readonly IncomingEvent[] {
  return jsons.map((json) => ({ json }));
}

/** Bodies, and the events they are cut into: each is its sender's exact text. */
const bodies: readonly (readonly [what: string, body: string, events: readonly string[]])[] = [
  ["one event with blanks around it", '\r\n\t {"a" : 1.10} \n', ['{"a" : 1.10}']],
  ["a list without a blank", '[{"a":1},{"a":2},3]', ['{"a":1}', '{"a":2}', "3"]],
  ["a list with blanks", ' [ {"a":1} ,\n null , true ] ', ['{"a":1}', "null", "true"]],
  ["a list of texts", '["a","b,]","{"]', ['"a"', '"b,]"', '"{"']],
  ["an empty list", " [ ] ", []],
  ["lists in lists", "[[1,[2,3]],[],{}]", ["[1,[2,3]]", "[]", "{}"]],
  [
    "objects in objects",
    '[{"a":{"b":[1,{"]":"},"}]}},{"c":2}]',
    ['{"a":{"b":[1,{"]":"},"}]}}', '{"c":2}'],
  ],
  [
    "escaped quotes",
    String.raw`["\"],[",{"a\"":"\\"},"\\\""]`,
    [String.raw`"\"],["`, String.raw`{"a\"":"\\"}`, String.raw`"\\\""`],
  ],
  [
    "numbers of many digits",
    '[9007199254740993,{"n":[0.10,1E400]},-0]',
    ["9007199254740993", '{"n":[0.10,1E400]}', "-0"],
  ],
  ["a text alone", '"a"', ['"a"']],
  ["a number alone", " 17 ", ["17"]],
];

const cut: readonly DeliveryCase[] = bodies.map(([what, body, events]) => ({
  what,
  config: open,
  body,
  events: unnamed(...events),
}));

const many = Array<string>(1_000).fill("{}");

const limits: readonly DeliveryCase[] = [
  {
    what: "as many events as a delivery may hold",
    config: open,
    body: `[${many.join(",")}]`,
    events: unnamed(...many),
  },
  {
    what: "one event too many",
    config: open,
    body: `[${many.join(",")},{}]`,
    refusal: { refuse: 400, reason: "too_many_events" },
  },
  ...["", "{", '{"a":1}{"b":2}', "[1,]", "a=1&b=2"].map((body) => ({
    what: `a body that is no JSON: ${body}`,
    config: open,
    body,
    refusal: { refuse: 400, reason: "not_json" } as const,
  })),
  {
    what: "a body in Latin-1",
    config: open,
    body: Buffer.from('{"a":"\u00e9"}', "latin1"),
    refusal: { refuse: 400, reason: "bad_utf8" },
  },
];

/** A pointer (RFC 6901), a body, and the resulting id. */
const pointed: readonly (readonly [pointer: string, body: string, id: string | undefined])[] = [
  ["/id", '{"id":"evt_1"}', "evt_1"],
  ["/id", '{"id":12,"a":3}', "12"],
  ["/id", '{ "id" : 12 , "a" : 3 }', "12"],
  ["/id", '{"a":3,"id":-9007199254740993123}', "-9007199254740993123"],
  ["/id", String.raw`{"\u0069d":"\u00e9\n"}`, "\u00e9\n"],
  ["/id", '{"id":1,"id":2}', "2"],
  ["/id", '{"id":""}', undefined],
  ["/id", '{"id":1.5}', undefined],
  ["/id", '{"id":true}', undefined],
  ["/id", '{"id":{"id":"x"}}', undefined],
  ["/id", "{}", undefined],
  ["/id", '"id"', undefined],
  ["/0", '"7,8"', undefined],
  ["/event/id", '{"event":{"a":[1],"id":"deep"},"id":"flat"}', "deep"],
  ["/event/id", '{"id":"flat"}', undefined],
  ["/event/0/id", '{"event":[{"id":"first"},{"id":"second"}]}', "first"],
  ["/event/1/id", '{"event":[{"id":"first"},{"id":"second"}]}', "second"],
  ["/event/2/id", '{"event":[{"id":"first"},{"id":"second"}]}', undefined],
  ["/a~1b/~0/~01", '{"a/b":{"~":{"~1":"odd"}}}', "odd"],
  ["/", '{"":"of no name"}', "of no name"],
];

const byPointer: readonly DeliveryCase[] = pointed.map(([pointer, body, id]) => ({
  what: `an id at ${pointer} of ${body}`,
  config: { ...open, event_id: { pointer } },
  body,
  events: [{ json: body, id }],
  signed: { id: "msg_1", headers: {} },
}));

const named: readonly DeliveryCase[] = [
  {
    what: "an id of one event",
    headers: { "X-Event-Id": "evt.1" },
    body: "{}",
    events: [{ json: "{}", id: "evt.1" }],
    signed: { id: "evt.1", headers: { "x-event-id": "evt.1" } },
  },
  {
    what: "an id of a list of two",
    headers: { "X-Event-Id": "evt.1" },
    body: "[1,2]",
    events: [
      { json: "1", id: "evt.1#0" },
      { json: "2", id: "evt.1#1" },
    ],
  },
  {
    what: "an id of a list of one",
    headers: { "X-Event-Id": "evt.1" },
    body: "[1]",
    events: [{ json: "1", id: "evt.1#0" }],
  },
  {
    what: "an id that looks like one of a list",
    headers: { "X-Event-Id": "evt#1" },
    body: "{}",
    events: [{ json: "{}", id: "evt#1#0" }],
  },
  { what: "no id", body: "{}", events: [{ json: "{}" }] },
  { what: "an empty id", headers: { "X-Event-Id": "" }, body: "{}", events: [{ json: "{}" }] },
];

const byHeader = named.map((delivery) => ({
  ...delivery,
  config: { ...open, event_id: { header: "X-Event-ID" } },
}));

const others: readonly DeliveryCase[] = [
  {
    what: "a header whose name every object has",
    config: { ...open, event_id: { header: "constructor" } },
    body: "{}",
    events: [{ json: "{}" }],
  },
  { what: "nothing signed", config: open, body: "{}", signed: { id: "msg_1", headers: {} } },
];

const at = new Date("2026-03-29T01:00:00.000Z");
const now = 1_774_746_000;
const secret = "kit-secret-of-the-sender-5b1d0c";

/** Signed with its time as Stripe does, and without the expected ids: time and body form the id. */
function dated(
  body: string,
  suffixes: readonly (readonly [json: string, own: string])[],
): DeliveryCase {
  const digest = createHash("sha256").update(body).digest("hex");
  const signature = createHmac("sha256", secret).update(`${now}.${body}`).digest("hex");
  return {
    what: `events without ids that are signed with their time: ${body}`,
    config: { signature: "stripe", secret },
    at,
    headers: { "stripe-signature": `t=${now},v1=${signature}` },
    body,
    events: suffixes.map(([json, own]) => ({
      json,
      id: own.startsWith("#") ? `${now}${own}#${digest}` : own,
    })),
  };
}

/** The events of bodies, and their ids. */
export const eventDeliveries: readonly DeliveryCase[] = [
  ...cut,
  ...limits,
  ...byPointer,
  ...byHeader,
  ...others,
  dated('{"a":1}', [['{"a":1}', "#0"]]),
  dated('[{"a":1},{"id":"evt_2"},{"a":1}]', [
    ['{"a":1}', "#0"],
    ['{"id":"evt_2"}', "evt_2"],
    ['{"a":1}', "#2"],
  ]),
];
