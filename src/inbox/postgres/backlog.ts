import { type Kysely, sql } from "kysely";

import { transactionRowsMax } from "../../state/limits.ts";
import type { Backlog, InboxMethods, EventsLeaving } from "../inbox.ts";
import { inboxGroupCharsMax } from "../limits.ts";
import { databaseNow } from "./clock.ts";
import { numberOf } from "./reading.ts";
import type { InboxTables } from "./tables.ts";

type Queries = Kysely<InboxTables>;

type Input<Name extends keyof InboxMethods> = Parameters<InboxMethods[Name]>[0];

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
  // Nobody has woken the drain, so whoever keeps an event after this look will: there is nothing to write.
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

/** As `InboxMethods.leaving`. */
export async function leavingOf(
  queries: Queries,
  { connection }: Input<"leaving">,
): Promise<EventsLeaving> {
  const found = await queries
    .selectFrom("inboxConnections")
    .select(["leavingSeq as upTo", "leavingSince as since"])
    .where("name", "=", connection)
    .executeTakeFirst();
  return found ?? { upTo: 0, since: 0 };
}

/** As `InboxMethods.setLeaving`. */
export async function setLeaving(
  queries: Queries,
  { connection, upTo, since }: Input<"setLeaving">,
): Promise<void> {
  await queries
    .updateTable("inboxConnections")
    .set({ leavingSeq: upTo, leavingSince: since })
    .where("name", "=", connection)
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
    readonly oldestMs: number | null;
  }>`
    select c.name as connection, c.last_seq as last, c.accepted_seq as accepted, c.woken, e.seq,
      ${databaseNow} - e.received_at as oldest_ms
    from ${sql.table("inboxConnections")} c left join lateral (
      select e.seq, e.received_at from ${sql.table("inboxEvents")} e
      where e.connection = c.number and e.seq > c.accepted_seq order by e.seq limit 1) e on true
    where c.last_seq > 0 order by c.name`.execute(queries);
  return rows.map(({ connection, last, accepted, woken, seq, oldestMs }) => ({
    connection,
    last,
    accepted,
    hasWakeUp: woken === 1,
    // No number is left out, and events are removed only from the front.
    waiting: seq === null ? 0 : last - seq + 1,
    oldestMs,
  }));
}

/** As `InboxMethods.prune`. */
export async function prune(
  queries: Queries,
  { connection, upTo }: Input<"prune">,
): Promise<number> {
  const number = await numberOf(queries, connection);
  const events = sql.table("inboxEvents");
  // Looks only at the first rows, so that it never walks through all retained events.
  const { numAffectedRows } = await sql`
    delete from ${events} where connection = ${number} and seq in (
      select seq from (
        select seq, sum(bytes) over (order by seq) - bytes as before from (
          select e.seq, octet_length(e.json) as bytes from ${events} e
          where e.connection = ${number} and e.seq <= ${upTo} order by e.seq limit ${transactionRowsMax}) head) sized
      where before < ${inboxGroupCharsMax})`.execute(queries);
  return Number(numAffectedRows ?? 0);
}

/** As `InboxMethods.erase`; the server's files may still contain the erased data. */
export async function eraseEvents(
  queries: Queries,
  { connection, seqs }: Input<"erase">,
): Promise<boolean> {
  await queries
    .updateTable("inboxEvents")
    .set({ json: Buffer.from("{}"), id: null })
    .where("connection", "=", await numberOf(queries, connection))
    .where(sql<boolean>`seq = any(${seqs}::bigint[])`)
    .execute();
  return false;
}
