import { createHash } from "node:crypto";

import { type Kysely, sql } from "kysely";

import { transactionRowsMax } from "../../state/limits.ts";
import { idHashBytes } from "../limits.ts";
import type { InboxTables } from "./tables.ts";

/** Ids are forgotten by the hour, as in the SQLite inbox. */
const hourMs = 3_600_000;

/** An event with an id, and the number of its connection. */
type NamedEvent = {
  readonly connection: number;
  readonly id: string;
  readonly json: string;
  /** Unix ms. */
  readonly receivedAt: number;
};

/** Hashes UTF-8, as it is stored: two ids that differ only in half of a surrogate pair are one name of one event. */
function hashOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest().subarray(0, idHashBytes);
}

function nameOf(connection: number, idHash: Uint8Array): string {
  return `${connection} ${Buffer.from(idHash).toString("latin1")}`;
}

/** A known id: the bodies that came with it, and when the first one came. */
type KnownId = { readonly bodies: Set<string>; readonly firstAt: number };

type NewId = {
  readonly connection: number;
  readonly idHash: Buffer;
  readonly bodyHash: Buffer;
  readonly receivedAt: number;
};

/** The ids of a group of events, inside the transaction that has their connections' rows locked. */
export class GroupIds {
  readonly #known: Map<string, KnownId>;
  readonly #added: NewId[] = [];

  private constructor(known: Map<string, KnownId>) {
    this.#known = known;
  }

  /** Reads which ids of events are known, and with which bodies. */
  static async read(
    queries: Kysely<InboxTables>,
    events: readonly Pick<NamedEvent, "connection" | "id">[],
  ): Promise<GroupIds> {
    const known = new Map<string, KnownId>();
    if (events.length > 0) {
      const connections = events.map(({ connection }) => connection);
      const hashes = events.map(({ id }) => hashOf(id));
      const { rows } = await sql<{
        readonly connection: number;
        readonly idHash: Uint8Array;
        readonly bodyHash: Uint8Array;
        readonly receivedAt: number;
      }>`
        select i.connection, i.id_hash, i.body_hash, i.received_at from ${sql.table("inboxIds")} i
        where (i.connection, i.id_hash) in (select * from unnest(${connections}::bigint[], ${hashes}::bytea[]))
      `.execute(queries);
      for (const { connection, idHash, bodyHash, receivedAt } of rows) {
        const name = nameOf(connection, idHash);
        const found = known.get(name) ?? { bodies: new Set(), firstAt: receivedAt };
        found.bodies.add(Buffer.from(bodyHash).toString("latin1"));
        known.set(name, found);
      }
    }
    return new GroupIds(known);
  }

  /** Says whether an event is new, came before, or has another body under a known id; and remembers it. */
  take({ connection, id, json, receivedAt }: NamedEvent): "new" | "had" | "conflict" {
    const [idHash, bodyHash] = [hashOf(id), hashOf(json)];
    const name = nameOf(connection, idHash);
    const body = bodyHash.toString("latin1");
    const found = this.#known.get(name);
    if (found?.bodies.has(body) === true) return "had";
    const { bodies, firstAt } = found ?? { bodies: new Set(), firstAt: receivedAt };
    bodies.add(body);
    this.#known.set(name, { bodies, firstAt });
    // The bodies of an id are forgotten together: if only the others were left, the first would become a conflict.
    this.#added.push({ connection, idHash, bodyHash, receivedAt: firstAt });
    return found === undefined ? "new" : "conflict";
  }

  /** Writes the ids that were taken. */
  async write(queries: Kysely<InboxTables>): Promise<void> {
    if (this.#added.length === 0) return;
    const listOf = <Name extends keyof NewId>(name: Name): NewId[Name][] =>
      this.#added.map((id) => id[name]);
    await sql`
      insert into ${sql.table("inboxIds")} (connection, id_hash, body_hash, received_at)
      select * from unnest(${listOf("connection")}::bigint[], ${listOf("idHash")}::bytea[],
        ${listOf("bodyHash")}::bytea[], ${listOf("receivedAt")}::bigint[])`.execute(queries);
  }
}

/** Forgets ids of the hours that had ended at a time, each with all of its bodies; returns the number of bodies. */
export async function forgetIds(
  queries: Kysely<InboxTables>,
  { receivedBefore }: { readonly receivedBefore: number },
): Promise<number> {
  const hour = Math.floor(receivedBefore / hourMs) * hourMs;
  const ids = sql.table("inboxIds");
  const { numAffectedRows } = await sql`
    delete from ${ids} where (connection, id_hash) in (
      select i.connection, i.id_hash from ${ids} i where i.received_at < ${hour}
      group by i.connection, i.id_hash order by min(i.received_at) limit ${transactionRowsMax})`.execute(
    queries,
  );
  return Number(numAffectedRows ?? 0);
}
