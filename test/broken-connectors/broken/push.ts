import { randomUUID, timingSafeEqual } from "node:crypto";

import type { Incoming, IncomingEvent, Received } from "../../../connectors/contract/push.ts";
import { rightPushAbilities, rightPushSource, type SamplePushConfig } from "../right-push.ts";
import type { Broken } from "./broken.ts";

const { endpoint, receive, sign } = rightPushAbilities;

type Delivery = { readonly config: SamplePushConfig; readonly request: Incoming };

/** The right answer to a delivery, whoever sent it. */
function believed({ config, request }: Delivery): Received {
  const headers = sign({ config, body: request.body, id: "any", at: request.receivedAt });
  return receive({ config, request: { ...request, headers } });
}

function signatureOf(config: SamplePushConfig, body: Buffer, id: string): string {
  return sign({ config, body, id, at: 0 })["sample-signature"];
}

const badSignature: Received = { refuse: 401, reason: "bad_signature" };

/** The right push connector with another `receive`. */
function receiving(other: (delivery: Delivery) => Received): Broken["make"] {
  return () => rightPushSource({ receive: other });
}

/** The right push connector with other ids for its events. */
function naming(
  idOf: (event: IncomingEvent, place: number, delivery: Delivery) => string | undefined,
): Broken["make"] {
  return receiving((delivery) => {
    const answer = receive(delivery);
    if ("refuse" in answer) return answer;
    const events = answer.events.map((event, place) => {
      return { json: event.json, id: idOf(event, place, delivery) };
    });
    return { events };
  });
}

/** Mistakes in handling a delivery. */
export const pushMistakes: readonly Broken[] = [
  {
    name: "empty refused",
    what: "takes a delivery of no events for one that it cannot read",
    check: "A8",
    make: receiving((delivery) => {
      const answer = receive(delivery);
      return "events" in answer && answer.events.length === 0
        ? { refuse: 400, reason: "no_events", message: "Post at least one event." }
        : answer;
    }),
  },
  {
    name: "anyone's",
    what: "believes every delivery",
    check: "A7",
    make: receiving(believed),
  },
  {
    name: "unsigned is fine",
    what: "looks at the signature only where there is one",
    check: "A7",
    make: receiving((delivery) =>
      delivery.request.headers["sample-signature"] === undefined
        ? believed(delivery)
        : receive(delivery),
    ),
  },
  {
    name: "beginning of a signature",
    what: "compares as much of the signature as was sent: of an empty one nothing",
    check: "A7",
    make: receiving((delivery) => {
      const { config, request } = delivery;
      const { "sample-id": id = "", "sample-signature": given } = request.headers;
      const isBelieved =
        given !== undefined && signatureOf(config, request.body, id).startsWith(given);
      return isBelieved ? believed(delivery) : badSignature;
    }),
  },
  {
    name: "comparison that throws",
    what: "compares signatures with what throws when they are not of one length",
    check: "A7",
    make: receiving((delivery) => {
      const { config, request } = delivery;
      const { "sample-id": id = "", "sample-signature": given = "" } = request.headers;
      const right = signatureOf(config, request.body, id);
      const isBelieved = timingSafeEqual(Buffer.from(given), Buffer.from(right));
      return isBelieved ? believed(delivery) : badSignature;
    }),
  },
  {
    name: "refused as unreadable",
    what: "answers 400 to a bad signature, as if the sender had only written badly",
    check: "A7",
    make: receiving((delivery) => {
      const answer = receive(delivery);
      if (!("refuse" in answer) || answer.refuse === 400) return answer;
      return { refuse: 400, reason: "bad_signature", message: "Sign what you post." };
    }),
  },
  {
    name: "ids of chance",
    what: "calls each event something new whenever it comes",
    check: "A7",
    make: naming(() => randomUUID()),
  },
  {
    name: "ids of the time",
    what: "calls events by when they came",
    check: "A7",
    make: naming((_, place, { request }) => `${request.receivedAt}-${place}`),
  },
  {
    name: "ids of the place",
    what: "calls events by their place in the delivery, as others of other deliveries",
    check: "A7",
    make: naming((_, place) => String(place)),
  },
  {
    name: "id of the delivery",
    what: "calls every event of a delivery by the delivery's id",
    check: "A7",
    make: naming((_event, _place, { request }) => request.headers["sample-id"]),
  },
  { name: "no id", what: "gives events no id", check: "A7", make: naming(() => undefined) },
  {
    name: "throws on garbage",
    what: "reads the body before it looks whether it can",
    check: "A7",
    make: receiving((delivery) => {
      JSON.parse(delivery.request.body.toString());
      return receive(delivery);
    }),
  },
  {
    name: "quotes garbage",
    what: "quotes the body that it cannot read",
    check: "A7",
    make: receiving((delivery) => {
      const answer = receive(delivery);
      if (!("message" in answer)) return answer;
      return { ...answer, message: `cannot read ${delivery.request.body.toString()}` };
    }),
  },
  {
    name: "body of any size",
    what: "takes bodies of any size",
    check: "A7",
    make: () =>
      rightPushSource({ endpoint: (config) => ({ ...endpoint(config), bodyBytesMax: Infinity }) }),
  },
];
