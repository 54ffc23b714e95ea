import { createHmac } from "node:crypto";

import type { Secret } from "../../src/security/secret.ts";
import { isAnyExpected, unbelieved, type SignatureStyle } from "./signature.ts";

function signatureOf(body: Buffer, secret: Secret): string {
  return `sha256=${createHmac("sha256", secret.reveal()).update(body).digest("hex")}`;
}

/** `X-Hub-Signature-256: sha256=<hex>`, an HMAC-SHA256 over the body alone: a delivery can be replayed at any time. */
export const github: SignatureStyle = {
  verify: ({ headers, body }, secrets) => {
    const given = headers["x-hub-signature-256"];
    if (given === undefined) return unbelieved("no_signature");
    const expected = secrets.map((secret) => signatureOf(body, secret));
    return isAnyExpected([given], expected) ? {} : unbelieved("bad_signature");
  },
  sign: ({ body }, secret) => ({ "x-hub-signature-256": signatureOf(body, secret) }),
};
