import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

import type { Secret } from "./secret.ts";

/** What a signature of Standard Webhooks covers. */
export type Signed = {
  /** The message's, which a repeated delivery keeps. */
  readonly id: string;
  /** Unix seconds of this delivery, as its header spells them. */
  readonly timestamp: number | string;
  /** Signed as bytes: invalid UTF-8 would not outlive a string. */
  readonly body: string | Buffer;
};

const prefix = "whsec_";
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a secret is the base64 of a key behind `whsec_`. */
export function isBase64Key(secret: string): boolean {
  return secret.startsWith(prefix) && base64.test(secret.slice(prefix.length));
}

/**
 * What a secret signs with: the base64 behind `whsec_`, or the text itself. A key object signs four times as
 * fast as its bytes (measured).
 */
export function keyOf(secret: string): KeyObject {
  return secret.startsWith(prefix)
    ? createSecretKey(secret.slice(prefix.length), "base64")
    : createSecretKey(secret, "utf8");
}

/** Bytes of a key that a bare base64 may stand for: those that the specification names. */
const bareKeyBytes = { min: 24, max: 64 };

/**
 * The key that a secret without `whsec_` stands for at the reference libraries, which decode it all the same;
 * undefined where it is no such base64.
 */
export function bareKeyOf(secret: string): KeyObject | undefined {
  if (secret.startsWith(prefix) || !base64.test(secret)) return undefined;
  const bytes = Buffer.from(secret, "base64");
  const { min, max } = bareKeyBytes;
  return bytes.length >= min && bytes.length <= max ? createSecretKey(bytes) : undefined;
}

const known = new WeakMap<Secret, readonly KeyObject[]>();

/** What a secret may sign with, made once: that takes as long as to sign with it. */
function keysOf(secret: Secret): readonly KeyObject[] {
  const made = known.get(secret);
  if (made !== undefined) return made;
  const bare = bareKeyOf(secret.reveal());
  const keys = [keyOf(secret.reveal()), ...(bare === undefined ? [] : [bare])];
  known.set(secret, keys);
  return keys;
}

function signed({ id, timestamp, body }: Signed, key: KeyObject): string {
  const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`);
  return `v1,${hmac.update(body).digest("base64")}`;
}

/**
 * The signatures of the header `webhook-signature`, one for each key that the secret may stand for:
 * HMAC-SHA256 over `id.timestamp.body`. A sender gives all of them, with blanks between, and a receiver takes
 * any.
 */
export function signaturesOf(message: Signed, secret: Secret): readonly string[] {
  return keysOf(secret).map((key) => signed(message, key));
}

/**
 * Whether a text can name a delivery. A full stop would leave open where the id ends and the timestamp
 * begins: `id.timestamp.body` is signed.
 */
export function isDeliveryId(text: string): boolean {
  return /^[^.\p{Cc}]{1,256}$/u.test(text);
}
