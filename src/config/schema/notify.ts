import { createHash } from "node:crypto";

import { z } from "zod";

import { addressFault } from "../../api/http/address.ts";
import { notifyTargetsMax } from "../../limits.ts";
import { Secret } from "../../security/secret.ts";
import { isBase64Key, keyOf } from "../../security/standard-webhooks.ts";
import { secretFault } from "../document/secret-file.ts";
import type { Mistake } from "../messages/mistakes.ts";
import { membersOf } from "./members.ts";

/** A receiver of notifications. */
export type NotifyConfig = {
  /**
   * Its name in Temporal and in messages: its host, and a piece of a hash, because the path may be a secret (Slack's
   * is).
   */
  readonly target: string;
  readonly url: Secret;
  /** The runs that it is notified of; each value includes the one before. */
  readonly on: "failed" | "done_with_rejects" | "always";
} & (
  | { readonly format: "event"; readonly secret: Secret }
  | { readonly format: "slack"; readonly secret?: undefined }
);

/** A Standard Webhooks secret holds a key of 24 to 64 bytes in base64. */
function signingFault(value: string): string | undefined {
  if (!value.startsWith("whsec_")) return secretFault(value);
  const bytes = keyOf(value).symmetricKeySize ?? 0;
  const isKey = isBase64Key(value) && bytes >= 24 && bytes <= 64;
  return isKey
    ? undefined
    : "must be whsec_ and 24 to 64 bytes in base64, or a text of another kind";
}

const receiver = z
  .strictObject({
    url: z
      .string()
      .superRefine((value, context) => {
        if (!URL.canParse(value))
          context.addIssue("must be an address such as https://example.com/hooks");
      })
      .describe("Where each event is sent to."),
    secret: z
      .string()
      .superRefine((value, context) => {
        const fault = signingFault(value);
        if (fault !== undefined) context.addIssue(fault);
      })
      .optional()
      .describe("Signs each event (Standard Webhooks), best as ${NOTIFY_SECRET}; not for Slack."),
    on: z
      .enum(["failed", "done_with_rejects", "always"])
      .default("done_with_rejects")
      .describe("Which runs are reported: those that failed, those with rejects too, or all."),
    format: z
      .enum(["event", "slack"])
      .default("event")
      .describe("A signed JSON event, or the text that Slack's incoming webhooks take."),
  })
  .superRefine(({ format, secret }, context) => {
    const fault =
      format === "slack"
        ? secret !== undefined && "is of no use to Slack, which checks no signature"
        : secret === undefined && "a secret is missing: events are signed";
    if (fault !== false) context.addIssue({ code: "custom", path: ["secret"], message: fault });
  })
  .describe("A receiver of notifications.");

/** The member `notify`: one receiver, or a list of them. */
export const notifySchema = z
  .union([receiver, z.array(receiver).min(1).max(notifyTargetsMax)])
  .optional()
  .describe("Receivers of messages about runs: one receiver, or a list of them.");

/** The receivers that are configured. */
export function assembleNotify(members: z.output<typeof notifySchema>): readonly NotifyConfig[] {
  return [members ?? []].flat().map(({ url: written, on, format, secret }): NotifyConfig => {
    const { host, href } = new URL(written);
    const digest = createHash("sha256").update(href).digest("hex").slice(0, 8);
    const common = { target: `${host}-${digest}`, url: new Secret(href), on };
    return format === "slack"
      ? { ...common, format }
      : { ...common, format, secret: new Secret(secret ?? "") };
  });
}

/**
 * The mistakes of receivers at addresses to which nothing may be sent, or that another one has: an address gets each
 * message once, in the form of the first of its receivers. Takes unchecked data, and skips whatever the
 * configuration's own schema refuses.
 */
export function notifyMistakes(data: unknown): readonly Mistake[] {
  const { notify, api } = membersOf(data);
  const { allow_insecure_hosts: listed } = membersOf(api);
  const hosts = Array.isArray(listed) ? listed.map(String) : [];
  const isList = Array.isArray(notify);
  const taken = new Set<string>();
  return [notify].flat().flatMap((value, index): readonly Mistake[] => {
    const url = URL.parse(String(membersOf(value)["url"]));
    if (url === null) return [];
    const path = ["notify", ...(isList ? [index] : []), "url"];
    if (taken.has(url.href)) {
      const message =
        "is the address of another receiver, and gets each message once: keep one of the two";
      return [{ path, on: "value", message }];
    }
    taken.add(url.href);
    const fault = addressFault(url, { hosts, loopback: true });
    if (fault === undefined) return [];
    const message = `${fault}: use https, or api.allow_insecure_hosts if that is meant`;
    return [{ path, on: "value", message }];
  });
}
