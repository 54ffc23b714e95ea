import { createHmac } from "node:crypto";

import { z } from "zod";

import { secret } from "../../connectors/contract/connector.ts";
import {
  pushSource,
  type Incoming,
  type Push,
  type PushSource,
  type Received,
} from "../../connectors/contract/push.ts";
import { compare } from "../../src/security/compare.ts";
import type { Secret } from "../../src/security/secret.ts";
import type { PushHarness } from "../../testing/harness.ts";

const pushConfig = z.strictObject({
  path: z
    .string()
    .startsWith("/")
    .default("/hooks/sample")
    .describe("Where deliveries are pushed."),
  secret: secret().describe("What the sender signs with."),
});
/** The right push connector's configuration. */
export type SamplePushConfig = z.output<typeof pushConfig>;

const events = z.array(z.looseObject({ id: z.string().min(1) }));

function signatureOf(by: Secret, id: string, body: Buffer): string {
  return createHmac("sha256", by.reveal()).update(`${id}.`).update(body).digest("hex");
}

function isBelieved({ headers, body }: Incoming, by: Secret): boolean {
  const { "sample-id": id = "", "sample-signature": given = "" } = headers;
  return compare(given, signatureOf(by, id, body));
}

/** The value of a JSON text; undefined, which JSON cannot express, if it is not valid JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    // The parser's own message quotes the text.
    return undefined;
  }
}

/** Every ability, correct: broken push connectors differ from it in a few lines. */
export const rightPushAbilities = {
  endpoint: ({ path }) => {
    return { path, bodyBytesMax: 1_000_000, backlogMax: 100_000, lingerMs: 0, retentionMs: 60_000 };
  },
  receive: ({ config, request }): Received => {
    if (!isBelieved(request, config.secret)) return { refuse: 401, reason: "bad_signature" };
    const list = events.safeParse(parsed(request.body));
    if (list.success) {
      return { events: list.data.map((event) => ({ json: JSON.stringify(event), id: event.id })) };
    }
    return { refuse: 400, reason: "no_events", message: "Post a JSON list of events with an id." };
  },
  sign: ({ config, body, id }) => {
    return { "sample-id": id, "sample-signature": signatureOf(config.secret, id, body) };
  },
} satisfies Push<SamplePushConfig>;

/** A push connector that differs from the right one in some members. */
export function rightPushSource(
  changes: Partial<Push<SamplePushConfig>> & { readonly config?: z.ZodType<SamplePushConfig> } = {},
): PushSource {
  return pushSource({ name: "right-push", config: pushConfig, ...rightPushAbilities, ...changes });
}

/** The push connector that every check finds right. */
export const rightPush = rightPushSource();

const samplePushSecret = "sample-push-secret-90a7c1";

/** A body with the headers that make it valid. */
function signedDelivery(body: string): {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const signature = createHmac("sha256", samplePushSecret).update(`d-1.${body}`).digest("hex");
  return { body, headers: { "Sample-Id": "d-1", "Sample-Signature": signature } };
}

/** Its sender, which signs with the connector's own `sign`. */
export function rightPushHarness(): PushHarness {
  return {
    config: { secret: samplePushSecret },
    bodyOf: (list) => JSON.stringify(list),
    deliveries: [
      { what: "a delivery of no events", ...signedDelivery("[]"), events: [] },
      {
        what: "an event that names nothing",
        ...signedDelivery(`[{"event":"form sent"}]`),
        refusal: { refuse: 400, reason: "no_events" },
      },
    ],
  };
}
