import { createHmac } from "node:crypto";

import type { PushHarness } from "../../../testing/harness.ts";
import { signedHeaders } from "../../support/webhooks/signed-delivery.ts";
import { eventDeliveries } from "./webhook-events.ts";
import { settingDeliveries } from "./webhook-settings.ts";
import { signedDeliveries } from "./webhook-signed.ts";

const path = "/hooks/kit";
const secret = "kit-secret-of-the-sender-5b1d0c";
const base64Secret = `whsec_${Buffer.from(secret).toString("base64")}`;

function bodyOf(events: readonly { readonly id: string }[]): string {
  return JSON.stringify(events.map(({ id }) => ({ id, account: "a-1", event: "form sent" })));
}

function hmac(text: string, body: Buffer): string {
  return createHmac("sha256", secret).update(text).update(body).digest("hex");
}

/** Senders by how they sign, each by our own implementation: the connector's own `sign` would share its mistakes. */
export const webhookHarnesses: Readonly<Record<string, PushHarness>> = {
  "Standard Webhooks": {
    config: { path, secret: base64Secret },
    bodyOf,
    sign: (body, id) => signedHeaders({ secret: base64Secret, id, body }),
    deliveries: [...signedDeliveries, ...eventDeliveries, ...settingDeliveries],
  },
  "two secrets while one is changed": {
    config: { path, secret: ["another-secret-of-the-sender", secret], signature: "github" },
    bodyOf,
    sign: (body, id) => ({
      "X-GitHub-Delivery": id,
      "X-Hub-Signature-256": `sha256=${hmac("", body)}`,
    }),
  },
  "as Stripe does": {
    config: { path, secret, signature: "stripe" },
    bodyOf,
    sign: (body) => {
      const seconds = Math.floor(Date.now() / 1_000);
      return { "Stripe-Signature": `t=${seconds},v1=${hmac(`${seconds}.`, body)}` };
    },
  },
  "a bearer token": {
    config: { path, secret, signature: "bearer", event_id: { header: "x-event-id" } },
    bodyOf,
    sign: (_, id) => ({ Authorization: `Bearer ${secret}`, "X-Event-Id": id }),
  },
};
