import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

import type { Secret } from "./secret.ts";

/** The input of a Standard Webhooks signature. */
export type Signed = {
  /** The message's id, which a repeated delivery keeps. */
  readonly id: string;
  /** Unix seconds of this delivery, as spelled in its header. */
  readonly timestamp: number | string;
  /** Signed as bytes: invalid UTF-8 would not survive a string. */
  readonly body: string | Buffer;
};

const prefix = "whsec_";
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a secret is `whsec_` followed by the base64 of a key. */
export function isBase64Key(secret: string): boolean {
  return secret.startsWith(prefix) && base64.test(secret.slice(prefix.length));
}

/**
 * The key of a secret: the base64 after `whsec_`, or the text itself. A key object signs four times as
 * fast as its bytes (measured).
 */
export function keyOf(secret: string): KeyObject {
  return secret.startsWith(prefix)
    ? createSecretKey(secret.slice(prefix.length), "base64")
    : createSecretKey(secret, "utf8");
}

/** Lengths in bytes of a key in bare base64: those that the specification names. */
const bareKeyBytes = { min: 24, max: 64 };

/**
 * The key of a secret without `whsec_` in the reference libraries, which decode it anyway; undefined if it is
 * not such base64.
 */
export function bareKeyOf(secret: string): KeyObject | undefined {
  if (secret.startsWith(prefix) || !base64.test(secret)) return undefined;
  const bytes = Buffer.from(secret, "base64");
  const { min, max } = bareKeyBytes;
  return bytes.length >= min && bytes.length <= max ? createSecretKey(bytes) : undefined;
}

const known = new WeakMap<Secret, readonly KeyObject[]>();

/** The keys that a secret may sign with, made once: making them takes as long as signing. */
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
 * HMAC-SHA256 over `id.timestamp.body`. A sender lists all of them, separated by blanks, and a receiver accepts
 * any.
 */
export function signaturesOf(message: Signed, secret: Secret): readonly string[] {
  return keysOf(secret).map((key) => signed(message, key));
}

/**
 * Whether a text can name a delivery. With a full stop it would be unclear where the id ends and the timestamp
 * begins, because `id.timestamp.body` is signed.
 */
export function isDeliveryId(text: string): boolean {
  return /^[^.\p{Cc}]{1,256}$/u.test(text);
}
