import { type Kysely, sql } from "kysely";

import type { InboxMethods, InboxReading, InboxRow } from "../inbox.ts";
import { inboxReadBytesMax } from "../limits.ts";
import type { InboxTables } from "./tables.ts";

type Queries = Kysely<InboxTables>;

type Input<Name extends keyof InboxMethods> = Parameters<InboxMethods[Name]>[0];

/** The number of a connection; before its first delivery 0, which no connection has. */
export async function numberOf(queries: Queries, connection: string): Promise<number> {
  const found = await queries
    .selectFrom("inboxConnections")
    .select("number")
    .where("name", "=", connection)
    .executeTakeFirst();
  return found?.number ?? 0;
}

function rowOf({
  seq,
  receivedAt,
  json,
  id,
  isConflict,
}: Omit<InboxTables["inboxEvents"], "connection">): InboxRow {
  return {
    seq,
    receivedAt,
    json: Buffer.from(json).toString(),
    id: id === null ? null : Buffer.from(id).toString(),
    isConflict: isConflict === 1,
  };
}

const columns = ["seq", "receivedAt", "json", "id", "isConflict"] as const;

/** As `InboxMethods.read`. */
export async function readEvents(
  queries: Queries,
  { connection, after, upTo, limit }: Input<"read">,
): Promise<InboxRow[]> {
  const number = await numberOf(queries, connection);
  const events = sql.table("inboxEvents");
  const last = upTo === undefined ? sql`` : sql`and e.seq <= ${upTo}`;
  // The size of an event is known without reading it.
  const end = sql<number>`(
    select max(seq) from (
      select seq, sum(bytes) over (order by seq) - bytes as before from (
        select e.seq, octet_length(e.json) as bytes from ${events} e
        where e.connection = ${number} and e.seq > ${after} ${last} order by e.seq limit ${limit}) head) sized
    where before < ${inboxReadBytesMax})`;
  const found = await queries
    .selectFrom("inboxEvents")
    .select(columns)
    .where("connection", "=", number)
    .where("seq", ">", after)
    .where("seq", "<=", end)
    .orderBy("seq")
    .execute();
  return found.map(rowOf);
}

/** As `InboxMethods.get`. */
export async function getEvents(
  queries: Queries,
  { connection, seqs }: Input<"get">,
): Promise<InboxRow[]> {
  const events = await queries
    .selectFrom("inboxEvents")
    .select(columns)
    .where("connection", "=", await numberOf(queries, connection))
    .where(sql<boolean>`seq = any(${seqs}::bigint[])`)
    .execute();
  const rows = new Map(events.map((event) => [event.seq, rowOf(event)]));
  return seqs.flatMap((seq) => rows.get(seq) ?? []);
}

/** As `InboxReading.last`. */
export async function lastSeqOf(queries: Queries, connection: string): Promise<number> {
  const found = await queries
    .selectFrom("inboxConnections")
    .select("lastSeq")
    .where("name", "=", connection)
    .executeTakeFirst();
  return found?.lastSeq ?? 0;
}

/** As `InboxReading.held`. */
export async function heldEvents(
  queries: Queries,
  { connection, after, upTo }: Parameters<InboxReading["held"]>[0],
): Promise<number> {
  const { held } = await queries
    .selectFrom("inboxEvents")
    .select(({ fn }) => fn.countAll<number>().as("held"))
    .where("connection", "=", await numberOf(queries, connection))
    .where("seq", ">", after)
    .where("seq", "<=", upTo)
    .executeTakeFirstOrThrow();
  return held;
}
