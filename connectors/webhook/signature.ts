import { compare } from "../../src/security/compare.ts";
import type { Secret } from "../../src/security/secret.ts";
import type { Incoming } from "../contract/push.ts";
import { signaturesMax, timestampOffMsMax } from "./limits.ts";

/** A delivery that is not believed, and why; the sender is told nothing of it. */
export type Unbelieved = { readonly refuse: 401; readonly reason: string };

/** A delivery that is believed and cannot be taken; its sender is told why. */
export type Untakeable = {
  readonly refuse: 400;
  readonly reason: string;
  readonly message: string;
};

/** What a signature vouches for besides the body. */
export type Vouched = {
  /** As it was signed; undefined where the signature covers none. */
  readonly timestamp?: string | undefined;
};

/** What is signed for `sluice webhooks send`. */
export type Unsigned = {
  readonly body: Buffer;
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
};

/** One way to sign deliveries. */
export type SignatureStyle = {
  /**
   * Believes a delivery that one of the secrets signed. Every secret and signature is looked at, so that the
   * time does not tell which was right.
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

/** Whether one of the given signatures, of which so many are looked at, is an expected one. */
export function isAnyExpected(given: readonly string[], expected: readonly string[]): boolean {
  const looked = given.slice(0, signaturesMax);
  const hits = looked.flatMap((one) => expected.filter((other) => compare(one, other)));
  return hits.length > 0;
}

/** Why a timestamp in Unix seconds does not stand for about now; undefined when it does. */
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
