import { z } from "zod";

import type { JsonValue } from "../../../records/json-value.ts";
import { jsonColumn } from "../json-column.ts";
import type { SyncName } from "../runs/checkpoints.ts";

/** Which of the two sides of a transfer. */
export type IdentityPart = "account" | "source";

/** What is known of an account or source; the identity is JSON. */
export const knownRow = z
  .object({
    identity: jsonColumn,
    /** What a message calls it. */
    shown: z.string(),
    /** When it was found first, or confirmed by a person. */
    since: z.string(),
  })
  .readonly();

/** An account or a source that a sync or pull has worked with. */
export type KnownIdentity = z.output<typeof knownRow>;

/**
 * The accounts and sources that checkpoints, fingerprints and places belong to; a sync or pull is named by
 * its lock.
 */
export interface IdentityStore {
  /** What is known of a sync or pull, and the store's salt: random, so that a hash of a key tells nothing elsewhere. */
  identities(input: { readonly holder: string }): {
    readonly salt: string;
    readonly account: KnownIdentity | undefined;
    readonly source: KnownIdentity | undefined;
  };
  /**
   * Keeps an identity in place of the one before; `since` stays as it is where the text that people see is
   * the same.
   */
  setIdentity(input: {
    readonly holder: string;
    readonly part: IdentityPart;
    readonly identity: JsonValue;
    readonly shown: string;
    readonly at: string;
  }): void;
  /**
   * Whether something of a sync depends on its account and source though no checkpoint does: a fingerprint of
   * what was sent, which a run that was cut and a backfill leave too, or a request that may still be applied.
   */
  hasSent(input: SyncName): boolean;
  /** The next run of this sync takes what it finds. */
  forgetIdentities(input: { readonly holder: string }): void;
}
