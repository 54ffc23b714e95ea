import type { Recognizing, TestCase } from "../../../testing/case.ts";
import { casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

const copy = "db.example.com:5432";
const another = "the database is not the one that was read before";
const older = "the server went back to an older state";
const otherOrder = "when the checkpoint was kept: rows come in another order";

/** The known identity, with these members replaced. */
function knownWith(members: object): NonNullable<Recognizing["known"]> {
  return (identity) => Object.assign({}, identity, members);
}

/** Databases behind the same configuration, and the same database at another address. */
function databases({ role, port, timeline }: Site): readonly Recognizing[] {
  const address = `127.0.0.1:${port}`;
  const here = { database: role, addresses: [address], timeline };
  return [
    { identity: here, shown: `database ${role} at ${address}, system identifier ` },
    { known: () => ({ of: "an older version" }), identity: here },
    { known: knownWith({ system: "1" }), differs: another, identity: here },
    { known: knownWith({ oid: "1" }), differs: another },
    { known: knownWith({ database: "other" }), differs: another },
    { known: knownWith({ system: null }) },
    {
      known: knownWith({ addresses: [copy] }),
      differs: "an address that was never confirmed",
      identity: { addresses: [address, copy] },
    },
    {
      known: knownWith({ addresses: [copy, address] }),
      identity: { addresses: [address, copy] },
    },
    { known: knownWith({ wal: "FFFFFFFF/0" }), differs: older },
    { known: knownWith({ wal: "0/1" }) },
    { known: knownWith({ wal: null, timeline: null }) },
    { known: knownWith({ timeline: 99 }), differs: "the server is on another timeline" },
    { known: knownWith({ timeline: 99, addresses: [copy, address] }) },
  ];
}

/** The rows now come in another order. */
function anew(was: string): Recognizing {
  return { differs: `${was} ${otherOrder}`, beginsAnew: true };
}

/** A column whose type is altered, and how: its rows keep their order, or change it. */
function altered(site: Site): readonly Recognizing[] {
  const alter =
    (...types: readonly string[]) =>
    async (): Promise<void> => {
      for (const type of types) await site.run(`alter table t alter ${type}`);
    };
  const time = "timestamp with time zone";
  return [
    { change: alter("id type bigint", "code type text", "at type timestamptz(6)") },
    { change: alter("id type numeric") },
    {
      change: alter("at type timestamptz(3)"),
      ...anew(`the column "at" is timestamp(3) with time zone now, and was ${time}`),
    },
    { change: alter(`at type ${time}`, "id type int") },
    {
      change: alter(`code type text collate "C"`),
      ...anew(
        'the column "code" is text collate C now, and was character varying(9) collate default',
      ),
    },
    {
      // If the database is not known to be the same, its columns are not compared.
      known: knownWith({ oid: "1" }),
      differs: another,
    },
  ];
}

/** A numeric change column, and a checkpoint above everything that is left. */
function restored(site: Site): Sketch {
  return {
    what: "a database that lost its last rows",
    sql: `create table t (id int primary key, version int not null unique);
      insert into t select n, n from generate_series(1, 5) as n`,
    from: { table: "sample.t", changed_by: { column: "version" } },
    isUncut: true,
    rows: ["1", "2", "3", "4", "5"].map((id) => ({ id, version: id })),
    recognizings: [
      { identity: { ahead: null } },
      {
        change: async () => void (await site.run("delete from t where version > 3")),
        differs: "the checkpoint 5 is above every value of its change column",
        identity: { ahead: "5" },
      },
      { known: knownWith({ ahead: "5" }) },
      { known: knownWith({ ahead: "4" }), differs: "the checkpoint 5 is above" },
      { change: async () => void (await site.run("delete from t")), identity: { ahead: null } },
    ],
  };
}

/** The known identity of a database that was read, and whether it is the same. */
export function recognizedCases(site: Site): readonly TestCase[] {
  const sql = `create table t (id int, code varchar(9), at timestamptz not null, primary key (id, code));
    insert into t values (1, 'a', '2024-03-10')`;
  const rows = [{ id: "1", code: "a", at: "2024-03-10T00:00:00.000000Z" }];
  const from = { table: "sample.t", changed_by: { column: "at" } };
  const read = { sql, rows, from, isUncut: true, overlap: 1 };
  return casesOf(site, [
    { ...read, what: "a database that is known", recognizings: databases(site) },
    { ...read, what: "a database whose columns are altered", recognizings: altered(site) },
    restored(site),
  ]);
}
