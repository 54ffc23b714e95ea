import { createHmac } from "node:crypto";

import type { Secret } from "../../src/security/secret.ts";
import {
  isAnyExpected,
  secondsOf,
  timestampFault,
  unbelieved,
  type SignatureStyle,
} from "./signature.ts";

/**
 * The signature of Stripe: an HMAC-SHA256 over `timestamp.body`. The text of the secret is the key, including its
 * `whsec_`.
 */
function signatureOf(
  { timestamp, body }: { readonly timestamp: number | string; readonly body: Buffer },
  secret: Secret,
): string {
  const hmac = createHmac("sha256", secret.reveal()).update(`${timestamp}.`);
  return hmac.update(body).digest("hex");
}

/** `Stripe-Signature: t=<seconds>,v1=<hex>`, with several `v1` while a secret is rotated. */
export const stripe: SignatureStyle = {
  verify: ({ headers, body, receivedAt }, secrets) => {
    const header = headers["stripe-signature"];
    if (header === undefined) return unbelieved("no_signature");
    const pairs = header.split(",");
    const valuesOf = (name: string): readonly string[] =>
      pairs.filter((pair) => pair.startsWith(name)).map((pair) => pair.slice(name.length));
    const [timestamp, ...others] = valuesOf("t=");
    if (timestamp === undefined || others.length > 0) return unbelieved("bad_timestamp");
    const fault = timestampFault(timestamp, receivedAt);
    if (fault !== undefined) return unbelieved(fault);
    const expected = secrets.map((secret) => signatureOf({ timestamp, body }, secret));
    return isAnyExpected(valuesOf("v1="), expected) ? { timestamp } : unbelieved("bad_signature");
  },
  sign: ({ at, body }, secret) => {
    const timestamp = secondsOf(at);
    const signature = signatureOf({ timestamp, body }, secret);
    return { "stripe-signature": `t=${timestamp},v1=${signature}` };
  },
};
