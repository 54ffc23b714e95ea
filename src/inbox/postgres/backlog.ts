import { type Kysely, sql } from "kysely";

import { transactionRowsMax } from "../../state/limits.ts";
import type { Backlog, InboxMethods, InboxRow } from "../inbox.ts";
import { inboxGroupCharsMax } from "../limits.ts";
import type { InboxTables } from "./tables.ts";

type Queries = Kysely<InboxTables>;

type Input<Name extends keyof InboxMethods> = Parameters<InboxMethods[Name]>[0];

async function numberOf(queries: Queries, connection: string): Promise<number> {
  const found = await queries
    .selectFrom("inboxConnections")
    .select("number")
    .where("name", "=", connection)
    .executeTakeFirst();
  return found?.number ?? 0;
}

/** As `InboxMethods.takeWakeUp`. */
export async function takeWakeUp(
  queries: Queries,
  { connection }: Input<"takeWakeUp">,
): Promise<number> {
  const found = await queries
    .selectFrom("inboxConnections")
    .select(["lastSeq", "woken"])
    .where("name", "=", connection)
    .executeTakeFirst();
  // Whoever keeps something after this look wakes, since nobody has: nothing is to be written.
  if (found === undefined || found.woken === 0) return found?.lastSeq ?? 0;
  const silenced = await queries
    .updateTable("inboxConnections")
    .set({ woken: 0 })
    .where("name", "=", connection)
    .returning("lastSeq")
    .executeTakeFirst();
  return silenced?.lastSeq ?? 0;
}

/** As `InboxMethods.setAccepted`. */
export async function setAccepted(
  queries: Queries,
  { connection, upTo }: Input<"setAccepted">,
): Promise<void> {
  await queries
    .updateTable("inboxConnections")
    .set({ acceptedSeq: upTo })
    .where("name", "=", connection)
    .where("acceptedSeq", "<>", upTo)
    .execute();
}

/** As `InboxMethods.backlogs`. */
export async function backlogs(queries: Queries): Promise<Backlog[]> {
  const { rows } = await sql<{
    readonly connection: string;
    readonly last: number;
    readonly accepted: number;
    readonly woken: number;
    readonly seq: number | null;
    readonly oldestAt: number | null;
  }>`
    select c.name as connection, c.last_seq as last, c.accepted_seq as accepted, c.woken, e.seq,
      e.received_at as oldest_at
    from ${sql.table("inboxConnections")} c left join lateral (
      select e.seq, e.received_at from ${sql.table("inboxEvents")} e
      where e.connection = c.number and e.seq > c.accepted_seq order by e.seq limit 1) e on true
    where c.last_seq > 0 order by c.name`.execute(queries);
  return rows.map(({ connection, last, accepted, woken, seq, oldestAt }) => ({
    connection,
    last,
    accepted,
    hasWakeUp: woken === 1,
    // No number is left out, and what is removed is removed from the front.
    waiting: seq === null ? 0 : last - seq + 1,
    oldestAt,
  }));
}

/** As `InboxMethods.prune`. */
export async function prune(
  queries: Queries,
  { connection, upTo, receivedBefore }: Input<"prune">,
): Promise<number> {
  const number = await numberOf(queries, connection);
  const events = sql.table("inboxEvents");
  // Only the first rows are looked at, so that it never walks through all that is retained.
  const { numAffectedRows } = await sql`
    delete from ${events} where connection = ${number} and seq in (
      select seq from (
        select seq, sum(bytes) over (order by seq) - bytes as before from (
          select e.seq, e.received_at, octet_length(e.json) as bytes from ${events} e
          where e.connection = ${number} and e.seq <= ${upTo} order by e.seq limit ${transactionRowsMax}) head
        where received_at < ${receivedBefore}) old
      where before < ${inboxGroupCharsMax})`.execute(queries);
  return Number(numAffectedRows ?? 0);
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
  let events = queries
    .selectFrom("inboxEvents")
    .select(columns)
    .where("connection", "=", await numberOf(queries, connection))
    .where("seq", ">", after);
  if (upTo !== undefined) events = events.where("seq", "<=", upTo);
  return (await events.orderBy("seq").limit(limit).execute()).map(rowOf);
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
