import { createHmac } from "node:crypto";

import type { Secret } from "../secret.ts";

/** What a signature covers. */
export type Signed = {
  /** The message's, which a repeated delivery keeps. */
  readonly id: string;
  /** Unix seconds of this delivery. */
  readonly timestamp: number;
  readonly body: string;
};

/** The bytes of a secret: the base64 behind `whsec_`, or the text itself. */
function keyOf(secret: Secret): Buffer {
  const text = secret.reveal();
  return text.startsWith("whsec_")
    ? Buffer.from(text.slice("whsec_".length), "base64")
    : Buffer.from(text, "utf8");
}

/** The header `webhook-signature` of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. */
export function signatureOf({ id, timestamp, body }: Signed, secret: Secret): string {
  const hmac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return `v1,${hmac.digest("base64")}`;
}
