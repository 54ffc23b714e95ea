import { secretFault } from "../../src/config/document/secret-file.ts";
import type { Secret } from "../../src/security/secret.ts";
import { isBase64Key, keyOf } from "../../src/security/standard-webhooks.ts";
import { secretBytesMin } from "./limits.ts";
import type { SignatureName } from "./signatures.ts";

/** The fault of a secret, without a piece of it; undefined when there is none. */
export function secretMistake(signature: SignatureName, secret: Secret): string | undefined {
  const text = secret.reveal();
  const fault = signature === "bearer" ? secretFault(text) : signingFault(signature, text);
  if (fault !== undefined) return fault;
  if (keyBytesOf(signature, secret) >= secretBytesMin) return undefined;
  return `is too short: at least ${secretBytesMin} bytes, or it may be guessed`;
}

/** The number of bytes that sign. */
export function keyBytesOf(signature: SignatureName, secret: Secret): number {
  const text = secret.reveal();
  return signature === "standard" ? keyOf(text).export().length : Buffer.byteLength(text);
}

function signingFault(signature: SignatureName, text: string): string | undefined {
  if (text !== text.trim()) return "begins or ends with a blank";
  if (signature !== "standard") return undefined;
  if (/^wh[ps]k_/.test(text))
    return "is of an asymmetric signature: ask the sender for one with whsec_";
  return !text.startsWith("whsec_") || isBase64Key(text)
    ? undefined
    : "must be base64 after whsec_, or a text of another kind";
}
