import { isUtf8 } from "node:buffer";

import { compare } from "../../src/security/compare.ts";
import type { Secret } from "../../src/security/secret.ts";
import type { Incoming } from "../contract/push.ts";
import { signaturesMax, timestampOffMsMax } from "./limits.ts";

/** A delivery that is not believed, and why; the sender does not receive the reason. */
export type Unbelieved = { readonly refuse: 401; readonly reason: string };

/** A delivery that is believed but cannot be taken; its sender receives the reason. */
export type Untakeable = {
  readonly refuse: 400;
  readonly reason: string;
  readonly message: string;
};

/** The facts that a signature covers besides the body. */
export type Vouched = {
  /** As it was signed; undefined where the signature covers none. */
  readonly timestamp?: string | undefined;
};

/** The content to sign for `sluice webhooks send`. */
export type Unsigned = {
  readonly body: Buffer;
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
};

/** One way to sign deliveries. */
export type SignatureStyle = {
  /**
   * Believes a delivery that one of the secrets signed. Every secret and signature is checked, so that the time does
   * not reveal which was right.
   */
  readonly verify: (
    request: Incoming,
    secrets: readonly Secret[],
  ) => Unbelieved | Untakeable | Vouched;
  /** The headers of a delivery that `verify` believes. */
  readonly sign: (unsigned: Unsigned, secret: Secret) => Readonly<Record<string, string>>;
};

/** A refusal of a delivery that is not believed. */
export function unbelieved(reason: string): Unbelieved {
  return { refuse: 401, reason };
}

/** Whether one of the given signatures is an expected one; at most `signaturesMax` of them are checked. */
export function isAnyExpected(given: readonly string[], expected: readonly string[]): boolean {
  const looked = given.slice(0, signaturesMax);
  const hits = looked.flatMap((one) => expected.filter((other) => compare(one, other)));
  return hits.length > 0;
}

/** Why a timestamp in Unix seconds is not close to the present; undefined when it is. */
export function timestampFault(timestamp: string, receivedAt: number): string | undefined {
  if (!/^\d{1,12}$/.test(timestamp)) return "bad_timestamp";
  const lateMs = receivedAt - Number(timestamp) * 1_000;
  if (lateMs > timestampOffMsMax) return "old_timestamp";
  return lateMs < -timestampOffMsMax ? "future_timestamp" : undefined;
}

/** Unix seconds of a time in Unix ms. */
export function secondsOf(at: number): number {
  return Math.floor(at / 1_000);
}

/** A header as its sender wrote it: Node reads each byte as a character. */
export function headerText(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : header;
}
