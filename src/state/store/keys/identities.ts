import { sql } from "kysely";

import type { Remote } from "../../../thread.ts";
import {
  type IdentityPart,
  type IdentityStore,
  type KnownIdentity,
  knownRow,
} from "../../contract/keys/identities.ts";
import type { SyncName } from "../../contract/runs/checkpoints.ts";
import { toJson } from "../json.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { findSet } from "./fingerprint-sets.ts";

async function identities(
  queries: Queries,
  { holder }: Parameters<IdentityStore["identities"]>[0],
): Promise<ReturnType<IdentityStore["identities"]>> {
  const known = await queries
    .selectFrom("identities")
    .select(["part", "identity", "shown", "since"])
    .where("holder", "=", holder)
    .execute();
  const of = (asked: IdentityPart): KnownIdentity | undefined => {
    const found = known.find(({ part }) => part === asked);
    return found === undefined ? undefined : knownRow.parse(found);
  };
  const salt = await queries
    .selectFrom("meta")
    .select("value")
    .where("name", "=", "salt")
    .executeTakeFirst();
  return { salt: String(salt?.value), account: of("account"), source: of("source") };
}

async function setIdentity(
  queries: Queries,
  { holder, part, shown, at, ...more }: Parameters<IdentityStore["setIdentity"]>[0],
): Promise<void> {
  const identity = toJson(more.identity);
  await sql`
    insert into ${sql.table("identities")} as i (holder, part, identity, shown, since)
    values (${holder}, ${part}, ${identity}, ${shown}, ${at})
    on conflict (holder, part) do update set identity = excluded.identity, shown = excluded.shown,
      since = case when i.shown = excluded.shown then i.since else excluded.since end`.execute(
    queries,
  );
}

async function hasSent(queries: Queries, name: SyncName): Promise<boolean> {
  const set = await findSet(queries, name);
  if (set === undefined) return false;
  const { rows } = await sql`
    select 1 where exists (select 1 from ${sql.table("requests")} where set_id = ${set.id})
      or exists (
        select 1 from ${sql.table("fingerprints")} f join ${sql.table("stagings")} s on s.send = abs(f.send)
        where f.set_id = ${set.id} and s.send > ${set.validAfter} and s.state in ('committed', 'cut'))
    `.execute(queries);
  return rows.length > 0;
}

async function forgetIdentities(
  queries: Queries,
  { holder }: Parameters<IdentityStore["forgetIdentities"]>[0],
): Promise<void> {
  await queries.deleteFrom("identities").where("holder", "=", holder).execute();
}

/** The identities of a store. */
export function createIdentityStore(db: StateDatabase): Remote<IdentityStore> {
  return {
    identities: reads(db, identities),
    setIdentity: writes(db, setIdentity),
    hasSent: reads(db, hasSent),
    forgetIdentities: writes(db, forgetIdentities),
  };
}
