import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** SHA-256 in hexadecimal digits. */
export function signatureSha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Compares secrets in a time that does not reveal how much of them is equal. It compares digests, because
 * timingSafeEqual throws on unequal lengths.
 */
export function compareSignatures(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The values that the signature of an upload address covers. */
export type SignedUpload = {
  readonly fileKey: string;
  /** When the address expires, in seconds since 1970. */
  readonly expires: string;
};

/** The signature of a PUT to an upload address. */
export function signUpload(signingKey: Buffer, signed: SignedUpload): string {
  return createHmac("sha256", signingKey)
    .update(`PUT\n${signed.fileKey}\n${signed.expires}`)
    .digest("hex");
}
