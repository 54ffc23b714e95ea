import { type Kysely, sql } from "kysely";

import type { Delivery, Verdict } from "../inbox.ts";
import { askNow } from "./clock.ts";
import { GroupIds } from "./event-ids.ts";
import type { InboxTables } from "./tables.ts";

/** A connection while a group of deliveries is written; its row is locked until the commit. */
type Receiving = { readonly number: number; last: number; hasWakeUp: boolean };

/**
 * Locks the rows of connections, in the order of their names. Sequence numbers are drawn under that lock: without it a
 * number that is drawn first may be committed last, and a drain that has read a later one never sees it.
 */
async function lockConnections(
  queries: Kysely<InboxTables>,
  names: readonly string[],
): Promise<ReadonlyMap<string, Receiving>> {
  const lock = queries
    .selectFrom("inboxConnections")
    .select(["number", "name", "lastSeq", "woken"])
    .where("name", "in", names)
    .orderBy("name")
    .forUpdate();
  let rows = await lock.execute();
  if (rows.length < names.length) {
    await queries
      .insertInto("inboxConnections")
      .values(names.map((name) => ({ name })))
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    rows = await lock.execute();
  }
  return new Map(
    rows.map(({ number, name, lastSeq, woken }) => [
      name,
      { number, last: lastSeq, hasWakeUp: woken === 1 },
    ]),
  );
}

/** Keeps a group of deliveries; call it inside a READ COMMITTED transaction. */
export async function keepGroup(
  queries: Kysely<InboxTables>,
  deliveries: readonly Delivery[],
): Promise<Verdict[]> {
  const names = [...new Set(deliveries.map(({ connection }) => connection))].toSorted();
  if (names.length === 0) return [];
  const connections = await lockConnections(queries, names);
  const receivingOf = (name: string): Receiving => {
    const found = connections.get(name);
    if (found === undefined) throw new Error(`no row of the connection ${name}`);
    return found;
  };
  const named = deliveries.flatMap(({ connection, events }) =>
    events.flatMap(({ id }) =>
      id === undefined ? [] : [{ connection: receivingOf(connection).number, id }],
    ),
  );
  // After locking: anything that another receiver kept meanwhile is committed, and no later number has an earlier time.
  const now = await askNow(queries);
  const ids = await GroupIds.read(queries, named);
  const rows: InboxTables["inboxEvents"][] = [];
  const verdicts = deliveries.map(({ connection, receivedAt = now, events }) => {
    const receiving = receivingOf(connection);
    const before = receiving.last;
    for (const { id, json } of events) {
      const event = { connection: receiving.number, json, receivedAt };
      const novelty = id === undefined ? "new" : ids.take({ ...event, id });
      if (novelty === "had") continue;
      receiving.last += 1;
      rows.push({
        connection: receiving.number,
        seq: receiving.last,
        receivedAt,
        isConflict: Number(novelty === "conflict"),
        id: id === undefined ? null : Buffer.from(id),
        json: Buffer.from(json),
      });
    }
    const kept = receiving.last - before;
    const wake = kept > 0 && !receiving.hasWakeUp;
    receiving.hasWakeUp ||= wake;
    return { kept, wake };
  });
  await insertEvents(queries, rows);
  await ids.write(queries);
  for (const { number, last, hasWakeUp } of connections.values()) {
    await queries
      .updateTable("inboxConnections")
      .set({ lastSeq: last, woken: Number(hasWakeUp) })
      .where("number", "=", number)
      .execute();
  }
  return verdicts;
}

/** The only parameters are lists: a statement with thousands of parameters takes longer to write than to run. */
async function insertEvents(
  queries: Kysely<InboxTables>,
  rows: readonly InboxTables["inboxEvents"][],
): Promise<void> {
  if (rows.length === 0) return;
  const listOf = <Name extends keyof InboxTables["inboxEvents"]>(
    name: Name,
  ): InboxTables["inboxEvents"][Name][] => rows.map((row) => row[name]);
  await sql`
    insert into ${sql.table("inboxEvents")} (connection, seq, received_at, is_conflict, id, json)
    select * from unnest(${listOf("connection")}::bigint[], ${listOf("seq")}::bigint[],
      ${listOf("receivedAt")}::bigint[], ${listOf("isConflict")}::bigint[], ${listOf("id")}::bytea[],
      ${listOf("json")}::bytea[])`.execute(queries);
}
