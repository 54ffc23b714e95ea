import { isDeepStrictEqual } from "node:util";

import type { Received } from "../../connectors/contract/push.ts";
import type { Check, PushSubject } from "../check.ts";
import type { DeliveryCase } from "../delivery.ts";
import { mustBe, needed } from "../failed.ts";
import { mustFind, naming } from "./cases/rows.ts";

/** A8: deliveries that only one kind of sender posts. */
export const deliveryChecks: readonly Check<PushSubject>[] = [
  {
    id: "A8",
    title: "answers its deliveries as the harness says",
    why: "Each sender has a form of its own: no event that the kit could think of shows what is made of it.",
    run: async ({ source, harness }) => {
      const deliveries = needed(harness.deliveries, "the harness has no `deliveries`");
      for (const delivery of deliveries) {
        await naming(delivery.what, async () => await tryDelivery({ source, harness }, delivery));
      }
    },
  },
];

/** A log that nobody reads, and a signal that nobody aborts. */
const log = { info: () => undefined, warn: () => undefined };
const { signal } = new AbortController();

async function tryDelivery(
  { source, harness }: PushSubject,
  delivery: DeliveryCase,
): Promise<void> {
  const { refusedBy } = delivery;
  const parsed = source.config.safeParse({ ...harness.config, ...delivery.config });
  const paths = parsed.error?.issues.map(({ path }) => path.join(".")) ?? [];
  if (refusedBy !== undefined) {
    mustBe(paths.includes(refusedBy), `${refusedBy} to be refused`, paths.join(", ") || "nothing");
    return;
  }
  mustBe(parsed.success, "a config that its schema takes", `a fault in ${paths.join(", ")}`);
  const config = parsed.data;
  const endpoint = { ...source.endpoint(config) };
  const isEndpoint = isDeepStrictEqual({ ...endpoint, ...delivery.endpoint }, endpoint);
  mustBe(isEndpoint, "the endpoint that it says", "another");
  mustFind((await source.check?.({ config, signal, log })) ?? [], delivery.findings);
  tryPost(delivery, (request) => source.receive({ config, request }));
  if (delivery.signed === undefined) return;
  const { id, headers } = delivery.signed;
  const at = (delivery.at ?? new Date()).getTime();
  const signed = source.sign?.({ config, body: bodyOf(delivery), id, at });
  mustBe(isDeepStrictEqual({ ...signed }, headers), "the headers that `sign` is to make", "others");
}

function tryPost(
  delivery: DeliveryCase,
  receive: (request: Parameters<PushSubject["source"]["receive"]>[0]["request"]) => Received,
): void {
  const { headers = {}, query = {}, at = new Date(), events, refusal } = delivery;
  if (delivery.body === undefined) {
    const isUnasked = events === undefined && refusal === undefined;
    mustBe(isUnasked, "a body for what is to come of it", "none");
    return;
  }
  const answer = receive({
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    query: new URLSearchParams(query),
    body: bodyOf(delivery),
    receivedAt: at.getTime(),
  });
  const came = "events" in answer ? `${answer.events.length} events` : told(answer);
  if (refusal !== undefined) mustBe(came === told(refusal), told(refusal), came);
  if (events === undefined) return;
  const taken = "events" in answer && answer.events.map(({ json, id }) => ({ json, id }));
  const expected = events.map(({ json, id }) => ({ json, id }));
  mustBe(isDeepStrictEqual(taken, expected), `${events.length} events as they are`, came);
}

function told({ refuse, reason }: { readonly refuse: number; readonly reason: string }): string {
  return `${refuse} (${reason})`;
}

function bodyOf({ body = "" }: DeliveryCase): Buffer {
  return Buffer.from(body);
}
