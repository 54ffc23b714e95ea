import { createHmac, timingSafeEqual } from "node:crypto";

import type { Incoming, IncomingEvent, Push, Received } from "sluice/connector";
import { z } from "zod";

import type { Config } from "./config.ts";

/** How far the sender's clock may be from ours: a delivery that someone kept is not believed later. */
const clockMsMax = 300_000;

/** Yours to change: the headers with which your sender vouches for a delivery. */
const headerNames = { time: "x-time", signature: "x-signature" } as const;

/**
 * Yours to change: the members that an event must have. Its id stays the same when the sender tries again, so that it
 * counts once.
 */
const event = z.looseObject({ id: z.string().min(1) });

/** Makes events of a delivery. Anybody may post anything: it never throws, and refuses what its sender did not sign. */
export const receive: Push<Config>["receive"] = ({ config, request }) => {
  if (!isSigned(config, request)) return { refuse: 401, reason: "bad_signature" };
  return eventsOf(request.body);
};

/** The headers that make a body believed, for `sluice webhooks send`. */
export const sign: NonNullable<Push<Config>["sign"]> = ({ config, body, at }) => {
  const time = String(at);
  const signature = signatureOf(config, time, body).toString("hex");
  return { [headerNames.time]: time, [headerNames.signature]: signature };
};

function isSigned(config: Config, { headers, body, receivedAt }: Incoming): boolean {
  const time = headers[headerNames.time] ?? "";
  const given = Buffer.from(headers[headerNames.signature] ?? "", "hex");
  const expected = signatureOf(config, time, body);
  // Compared in constant time: otherwise a stranger could find out the signature byte by byte.
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Math.abs(receivedAt - Number(time)) <= clockMsMax;
}

/** Over the bytes as they came: parsed and written again, they may be other bytes. */
function signatureOf({ secret }: Config, time: string, body: Buffer): Buffer {
  return createHmac("sha256", secret.reveal()).update(`${time}.`).update(body).digest();
}

/** Yours to change: here each line is an event, and kept as it came. */
function eventsOf(body: Buffer): Received {
  const events: IncomingEvent[] = [];
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    for (const json of text.split("\n").filter((line) => line.trim() !== "")) {
      const { id } = event.parse(JSON.parse(json));
      events.push({ json, id });
    }
  } catch {
    // The message quotes nothing of the delivery: it may be a customer's.
    return refused("each line must be a JSON object with an id");
  }
  return events.length === 0 ? refused("there is no event in it") : { events };
}

function refused(message: string): Received {
  return { refuse: 400, reason: "not_events", message };
}
