import { type IdentityStore, knownRow } from "../../contract/keys/identities.ts";
import { toJson } from "../../store/json.ts";
import type { Database } from "../database.ts";
import { count, first } from "../database.ts";

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
    `select count(*) from (select 1 from fingerprints f join stagings s on s.send = abs(f.send)
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
