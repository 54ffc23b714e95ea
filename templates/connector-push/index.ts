import { createHmac, timingSafeEqual } from "node:crypto";

import {
  pushSource,
  secret,
  type Incoming,
  type IncomingEvent,
  type Received,
} from "sluice/connector";
import { z } from "zod";

const settings = z.strictObject({
  path: z.string().startsWith("/").describe("Where deliveries are pushed: /hooks/orders."),
  secret: secret().describe("What the sender signs with."),
});
type Config = z.output<typeof settings>;

const ageMsMax = 300_000;
const event = z.looseObject({ id: z.string() });

function signatureOf(config: Config, time: string, body: Buffer): Buffer {
  return createHmac("sha256", config.secret.reveal()).update(`${time}.`).update(body).digest();
}

/** Yours to change: the headers with which your sender vouches for a delivery. */
function isBelieved(config: Config, { headers, body, receivedAt }: Incoming): boolean {
  const { "x-time": time = "", "x-signature": signature = "" } = headers;
  const [given, own] = [Buffer.from(signature, "hex"), signatureOf(config, time, body)];
  const isSigned = given.length === own.length && timingSafeEqual(given, own);
  return isSigned && Math.abs(receivedAt - Number(time)) <= ageMsMax;
}

/** Yours to change: here each line is an event. */
function eventsOf(body: Buffer): readonly IncomingEvent[] | undefined {
  try {
    const lines = new TextDecoder("utf-8", { fatal: true })
      .decode(body)
      .split("\n")
      .filter(Boolean);
    // As they came: parsed and written again, numbers would lose the digits beyond 2^53.
    return lines.map((json) => ({ json, id: event.parse(JSON.parse(json)).id }));
  } catch {
    return undefined;
  }
}

/** Takes the events that a sender posts and signs. */
export const source = pushSource({
  name: "connector-name",
  config: settings,
  endpoint: ({ path }) => ({
    path,
    bodyBytesMax: 1_000_000,
    backlogMax: 100_000,
    lingerMs: 300,
    retentionMs: 7 * 24 * 3_600_000,
  }),
  receive({ config, request }): Received {
    if (!isBelieved(config, request)) return { refuse: 401, reason: "bad_signature" };
    const taken = eventsOf(request.body);
    if (taken !== undefined) return { events: taken };
    return {
      refuse: 400,
      reason: "not_events",
      message: "Post a JSON object with an id in each line.",
    };
  },
  sign({ config, body, at }) {
    const time = String(at);
    return { "x-time": time, "x-signature": signatureOf(config, time, body).toString("hex") };
  },
});
