import { z } from "zod";

import type { JsonValue } from "../records/json-value.ts";
import type { SyncName } from "./checkpoints.ts";
import type { Database } from "./database.ts";
import { count, first, jsonColumn, toJson } from "./database.ts";

const knownRow = z
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

/** Which of the two sides of a transfer. */
export type IdentityPart = "account" | "source";

/** The accounts and sources that checkpoints, fingerprints and places belong to; a sync or pull is named by its lock. */
export interface IdentityStore {
  /** What is known of a sync or pull, and the store's salt: random, so that a hash of a key tells nothing elsewhere. */
  identities(input: { readonly holder: string }): {
    readonly salt: string;
    readonly account: KnownIdentity | undefined;
    readonly source: KnownIdentity | undefined;
  };
  /** Keeps an identity in place of the one before; `since` stays as it is where the text that people see is the same. */
  setIdentity(input: {
    readonly holder: string;
    readonly part: IdentityPart;
    readonly identity: JsonValue;
    readonly shown: string;
    readonly at: string;
  }): void;
  /**
   * Whether something of a sync depends on its account and source though no checkpoint does: a fingerprint of what was sent, which a run
   * that was cut and a backfill leave too, or a request that may still be applied.
   */
  hasSent(input: SyncName): boolean;
  /** The next run of this sync takes what it finds. */
  forgetIdentities(input: { readonly holder: string }): void;
}

/** The identities of a SQLite store. */
export function createIdentityStore(db: Database): IdentityStore {
  const select = db.prepare(
    "select identity, shown, since from identities where holder = $holder and part = $part",
  );
  const put = db.prepare(
    `insert into identities (holder, part, identity, shown, since) values ($holder, $part, $identity, $shown, $at)
     on conflict do update set identity = excluded.identity, shown = excluded.shown,
       since = iif(shown = excluded.shown, since, excluded.since)`,
  );
  const forget = db.prepare("delete from identities where holder = $holder");
  const ofSet = "fingerprint_sets where target = $target and sync = $sync";
  const isPending = db.prepare(
    `select count(*) from (select 1 from requests where set_id = (select id from ${ofSet}) limit 1)`,
  );
  const isKnown = db.prepare(
    `select count(*) from (select 1 from fingerprints f join sends s on s.send = abs(f.send)
       where set_id = (select id from ${ofSet}) and s.send > (select valid_after from ${ofSet})
         and s.state in ('committed', 'cut') limit 1)`,
  );
  const meta = db.prepare("select value from meta where name = 'salt'");
  return {
    identities: ({ holder }) => ({
      salt: String(meta.get()?.["value"]),
      account: first(knownRow, select, { holder, part: "account" }),
      source: first(knownRow, select, { holder, part: "source" }),
    }),
    setIdentity: (input) =>
      db.write(() => void put.run({ ...input, identity: toJson(input.identity) })),
    hasSent: (name) => count(isPending, name) > 0 || count(isKnown, name) > 0,
    forgetIdentities: (input) => db.write(() => void forget.run(input)),
  };
}
