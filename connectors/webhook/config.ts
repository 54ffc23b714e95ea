import { z } from "zod";

import { duration, size } from "../../src/config/schema/units.ts";
import { secret } from "../contract/connector.ts";
import {
  backlogDefault,
  backlogHighest,
  bodyBytesDefault,
  bodyBytesHighest,
  lingerMsDefault,
  lingerMsMax,
  webhookPathCharsMax,
  retentionMsDefault,
  secretsMax,
} from "./limits.ts";
import { secretMistake } from "./secrets.ts";

/** Paths of the receiver's own. */
const ownPaths: ReadonlySet<string> = new Set(["/livez", "/readyz", "/metrics"]);

const plainPath = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/;
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const jsonPointer = /^(?:\/(?:[^/~]|~[01])*)+$/;

const eventId = z.union([
  z.strictObject({
    header: z
      .string()
      .regex(headerName, "must be the name of a header, such as x-event-id")
      .transform((name) => name.toLowerCase())
      .describe(
        "The header that names a delivery; its events are distinguished by their places in it.",
      ),
  }),
  z.strictObject({
    pointer: z
      .string()
      .max(webhookPathCharsMax)
      .regex(jsonPointer, "must be a JSON pointer to a text or a whole number, such as /id")
      .describe("The JSON pointer (RFC 6901) to the id in each event: a text or a whole number."),
  }),
]);

const members = z.strictObject({
  path: z
    .string()
    .max(webhookPathCharsMax)
    .regex(plainPath, "must be a path such as /hooks/forms: letters, digits and - . _ ~")
    .refine((path) => !ownPaths.has(path), "is a path of the receiver's own")
    .describe("Where deliveries are pushed to."),
  signature: z
    .enum(["standard", "github", "stripe", "bearer", "none"])
    .default("standard")
    .describe(
      "How a delivery shows that it is from its sender: Standard Webhooks, as GitHub or Stripe " +
        "sign, by a bearer token, or not at all.",
    ),
  secret: z
    .union([secret(), z.array(secret()).min(1).max(secretsMax)])
    .transform((one) => [one].flat())
    .optional()
    .describe("What the sender signs with, best as ${FORMS_SECRET}; several while it is changed."),
  allow_unsigned: z
    .boolean()
    .default(false)
    .describe("With `signature: none`: anyone who knows the path may post."),
  event_id: eventId
    .optional()
    .describe(
      "What names an event, which is then kept once in a week; each signature has its own.",
    ),
  body_max: size(bodyBytesHighest)
    .default(bodyBytesDefault)
    .describe("The largest delivery that is taken."),
  linger: duration()
    .refine((ms) => ms <= lingerMsMax, "at most 1m")
    .default(lingerMsDefault)
    .describe("How long events that come one by one are given to become one batch."),
  retention: duration()
    .default(retentionMsDefault)
    .describe("How long events are kept once every sync has sent them, and at most twice that."),
  backlog_max: z
    .int()
    .min(1)
    .max(backlogHighest)
    .default(backlogDefault)
    .describe("Waiting events at which deliveries are refused for a while."),
  /** The folder of `sluice.yaml`, given by the engine. */
  folder: z.string().min(1).optional(),
});

/** The members of a webhook connection. */
export const webhookConfig = members
  .refine(({ signature, allow_unsigned: mayBeUnsigned }) => signature !== "none" || mayBeUnsigned, {
    path: ["signature"],
    message: "none takes what anyone posts: if that is meant, add allow_unsigned: true",
  })
  .refine(
    ({ signature, allow_unsigned: mayBeUnsigned }) => signature === "none" || !mayBeUnsigned,
    {
      path: ["allow_unsigned"],
      message: "only signed deliveries are taken here: remove it, or set signature: none",
    },
  )
  .refine(({ signature, secret: secrets }) => signature !== "none" || secrets === undefined, {
    path: ["secret"],
    message: "is of no use without a signature: remove it, or say which signature",
  })
  .refine(({ signature, secret: secrets }) => signature === "none" || secrets !== undefined, {
    path: ["secret"],
    message: "a secret is missing: say what the sender signs with",
  })
  .superRefine(({ signature, secret: secrets = [] }, context) => {
    if (signature === "none") return;
    for (const [index, one] of secrets.entries()) {
      const message = secretMistake(signature, one);
      const path = secrets.length === 1 ? ["secret"] : ["secret", index];
      if (message !== undefined) context.addIssue({ code: "custom", path, message });
    }
  });

/** A webhook connection as the connector uses it. */
export type WebhookConfig = z.output<typeof webhookConfig>;

/** The header or pointer that names an event. */
export type EventId = NonNullable<WebhookConfig["event_id"]>;
