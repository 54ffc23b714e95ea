import { z } from "zod";

import type { JsonValue } from "../../../records/json-value.ts";
import { jsonColumn } from "../json-column.ts";
import type { SyncName } from "../runs/checkpoints.ts";

/** One of the two sides of a transfer. */
export type IdentityPart = "account" | "source";

/** What is known of an account or source; the identity is JSON. */
export const knownRow = z
  .object({
    identity: jsonColumn,
    /** Its name in messages. */
    shown: z.string(),
    /** When it was first found, or confirmed by a person. */
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
  /** What is known of a sync or pull, and the store's random salt, which makes a key's hash useless elsewhere. */
  identities(input: { readonly holder: string }): {
    readonly salt: string;
    readonly account: KnownIdentity | undefined;
    readonly source: KnownIdentity | undefined;
  };
  /** Replaces an identity; `since` stays as it is if the text that people see is the same. */
  setIdentity(input: {
    readonly holder: string;
    readonly part: IdentityPart;
    readonly identity: JsonValue;
    readonly shown: string;
    readonly at: string;
  }): void;
  /**
   * Whether a sync depends on its account and source even without a checkpoint: by a fingerprint of what was sent,
   * which a cut run and a backfill leave, too, or by a request that may still be applied.
   */
  hasSent(input: SyncName): boolean;
  /** Forgets the identities of a sync or pull, so that its next run accepts what it finds. */
  forgetIdentities(input: { readonly holder: string }): void;
}
