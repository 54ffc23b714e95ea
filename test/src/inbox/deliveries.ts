import type { Delivery } from "../../../src/inbox/inbox.ts";

/** A Monday. */
export const receivedAt = Date.parse("2026-01-05T00:00:00.000Z");

/** A delivery of events that differ by a number. */
export function delivery(
  events: Delivery["events"],
  more: Partial<Omit<Delivery, "events">> = {},
): Delivery {
  return { connection: "forms", receivedAt, events, ...more };
}

/** A delivery of one event that has an id. */
export function one(id: string, json = `{"event":"${id}"}`): Delivery {
  return delivery([{ json, id }]);
}

/** The same with a body of a hundred thousand characters. */
export function largeOne(id: string): Delivery {
  return one(id, JSON.stringify({ event: id, text: "x".repeat(100_000) }));
}
