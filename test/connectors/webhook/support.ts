import type { Incoming } from "../../../connectors/contract/push.ts";
import { webhookConfig, type WebhookConfig } from "../../../connectors/webhook/config.ts";

/**
 * The example that the libraries of Standard Webhooks are tested with (their `webhook.test.ts`,
 * `webhook_symmetric_test.go` and others).
 */
export const published = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
} as const;

/** When it was sent, in Unix ms. */
export const publishedAt = Number(published.timestamp) * 1_000;

/** A received delivery. */
export function incoming(
  headers: Incoming["headers"],
  body: string | Uint8Array,
  receivedAt = publishedAt,
): Incoming {
  return { headers, body: Buffer.from(body), query: new URLSearchParams(), receivedAt };
}

/** The configuration of a connection at `/hooks/forms` with these other members. */
export function configOf(members: object): WebhookConfig {
  return webhookConfig.parse({ path: "/hooks/forms", ...members });
}

/** A configuration that accepts everyone. */
export function openConfig(members: object = {}): WebhookConfig {
  return configOf({ signature: "none", allow_unsigned: true, ...members });
}
