import { setTimeout as sleep } from "node:timers/promises";

import { Client, types } from "pg";
import Cursor from "pg-cursor";

import { BusyError } from "../../errors.ts";
import { sqlStateOf } from "../../postgres/errors.ts";
import { quoteName } from "../../postgres/names.ts";
import { beatsKeepSchemaMs } from "../limits.ts";
import { copyIdName } from "../moved.ts";
import { openPostgresDatabase } from "../postgres/database.ts";
import { settleStaged } from "../postgres/keys/merging.ts";
import { foldAllSets } from "../postgres/keys/sightings.ts";
import { migrateStore } from "../postgres/migrate.ts";
import { clientOf, storeName, type StoreServer } from "../postgres/server.ts";
import { asStoreError } from "../postgres/store-error.ts";
import { noTransactionTimeout, projectName, refuseOtherProject } from "../postgres/version.ts";
import { withNul, withoutNul } from "../store/nul-texts.ts";
import {
  alikeTables,
  leftPostgresTables,
  leftTables,
  tellingTables,
  type OwnTable,
  ownFacts,
  ownTables,
  type TypedColumn,
} from "./copied-tables.ts";
import { batches, type CopiedRow, type CopiedValue, type CopyEnd } from "./copy-end.ts";
import { isOfMark, type MoveMark, refuseOther } from "./marks.ts";

/** Rows fetched at a time. */
const fetchRows = 1_000;

/** How long to wait for transactions that began before a store was moved. */
const olderTransactionsMsMax = 60_000;

/** Type oids of numbers: integers of 64, 16 and 32 bits, and numeric, for sums of them and times. */
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

/** A time may have a fraction of a millisecond, which is copied in SQLite's form. */
function numberIn(text: string): bigint | number {
  return text.includes(".") ? Number(text) : BigInt(text);
}

const copiedTypes = {
  getTypeParser: (oid: number, format?: "text" | "binary"): unknown => {
    if (numberTypes.has(oid)) return numberIn;
    return oid === 25 ? withNul : types.getTypeParser(oid, format ?? "text");
  },
};

/** A store in a Postgres schema, with the inbox in it. */
export class PostgresEnd implements CopyEnd {
  readonly name: string;
  readonly #server: StoreServer;
  readonly #client: Client;

  private constructor(server: StoreServer, client: Client) {
    this.name = storeName(server);
    this.#server = server;
    this.#client = client;
  }

  /** Connects to it, after creating its tables or bringing them to this version. */
  static async open(server: StoreServer): Promise<PostgresEnd> {
    await migrateStore(server);
    const client = new Client({ ...clientOf(server), application_name: "sluice store copy" });
    client.on("error", () => undefined);
    try {
      await client.connect();
      const end = new PostgresEnd(server, client);
      refuseOtherProject((await end.facts()).get(projectName), server);
      return end;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw asStoreError(error, server);
    }
  }

  /** The rows of a statement in which `$schema.` precedes each table's name. */
  async #ask(sql: string, parameters: readonly unknown[] = []): Promise<readonly CopiedRow[]> {
    const text = this.#named(sql);
    try {
      const values = [...parameters];
      const asked = { text, values, rowMode: "array", types: copiedTypes } as const;
      return (await this.#client.query<CopiedValue[]>(asked)).rows;
    } catch (error) {
      throw asStoreError(error, this.#server);
    }
  }

  #named(sql: string): string {
    return sql.replaceAll("$schema.", `${quoteName(this.#server.schema)}.`);
  }

  async #number(sql: string, parameters: readonly unknown[] = []): Promise<bigint> {
    return BigInt(String((await this.#ask(sql, parameters))[0]?.[0] ?? 0));
  }

  /** The columns of all tables with their types. */
  async columns(): Promise<ReadonlyMap<string, readonly TypedColumn[]>> {
    const rows = await this.#ask(
      `select c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = $1::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
       order by a.attnum`,
      [quoteName(this.#server.schema)],
    );
    const found = new Map<string, TypedColumn[]>();
    for (const [table, name, type] of rows) {
      const columns = found.get(String(table)) ?? [];
      columns.push({ name: String(name), type: String(type) });
      found.set(String(table), columns);
    }
    return found;
  }

  async prepare(): Promise<void> {
    const database = openPostgresDatabase(this.#server);
    try {
      await settleStaged(database);
      await foldAllSets(database);
    } finally {
      await database.close();
    }
  }

  async facts(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#ask("select name, value from $schema.meta");
    return new Map(rows.map(([name, value]) => [String(name), String(value)]));
  }

  async whyBusy(): Promise<string | undefined> {
    const [run] = await this.#ask("select run_id from $schema.runs where ended_at is null limit 1");
    if (run !== undefined) return `run ${String(run[0])} has not ended`;
    const [beat] = await this.#ask(
      `select process from $schema.hosts
       where abs(extract(epoch from clock_timestamp()) * 1000 - last_beat) < $1 limit 1`,
      [beatsKeepSchemaMs],
    );
    return beat === undefined ? undefined : `worker ${String(beat[0])} works with it`;
  }

  async isApart(): Promise<boolean> {
    const apart = await this.#number(
      "select (select count(*) from $schema.staged_sends) + (select count(*) from $schema.sightings)",
    );
    return apart > 0n;
  }

  async isEmpty(): Promise<boolean> {
    const any = [...tellingTables, "inbox_events"].map(
      (table) => `exists (select 1 from $schema.${table})`,
    );
    const [row] = await this.#ask(`select (${any.join(" or ")})::integer`);
    return row?.[0] === 0n;
  }

  async mark(mark: MoveMark): Promise<void> {
    await this.#ask("begin");
    try {
      await this.#lockFacts();
      refuseOther(this.name, await this.facts(), mark);
      await this.#ask(
        `insert into $schema.meta (name, value) select * from unnest($1::text[], $2::text[])
         on conflict (name) do update set value = excluded.value`,
        [Object.keys(mark.facts), Object.values(mark.facts)],
      );
    } catch (error) {
      await this.rollBack();
      throw error;
    }
    await this.#ask("commit");
    await this.#olderTransactions();
  }

  /** Waits for those who use them: every transaction that writes reads this table first, and a copy until its end. */
  async #lockFacts(): Promise<void> {
    await this.#ask("set local statement_timeout = 0");
    await this.#ask(`set local lock_timeout = ${olderTransactionsMsMax}`);
    const lock = this.#named("lock table $schema.meta in access exclusive mode");
    try {
      await this.#client.query(lock);
    } catch (error) {
      if (sqlStateOf(error) === "55P03") throw this.#endlessError();
      throw asStoreError(error, this.#server);
    }
  }

  #endlessError(): BusyError {
    return new BusyError(`${this.name}: a transaction of a process of sluice does not end`, {
      hint: "stop the workers, receivers and commands that use it, and try again",
    });
  }

  /**
   * Waits for sluice's transactions that began before now: one that took its snapshot before the store was moved, and
   * then waited for the lock, may still write.
   */
  async #olderTransactions(): Promise<void> {
    const running = async (): Promise<ReadonlySet<string>> => {
      const rows = await this.#ask(
        `select l.virtualtransaction from pg_locks l join pg_stat_activity a using (pid)
         where l.locktype = 'virtualxid' and a.datname = current_database() and a.application_name = 'sluice'
           and l.pid <> pg_backend_pid()`,
      );
      return new Set(rows.map(([name]) => String(name)));
    };
    const older = await running();
    const untilMs = performance.now() + olderTransactionsMsMax;
    while (older.intersection(await running()).size > 0) {
      if (performance.now() > untilMs) throw this.#endlessError();
      await sleep(50);
    }
  }

  async unmark(copyId: string): Promise<void> {
    await this.#ask(
      `delete from $schema.meta where ${isOfMark}
       and (select value from $schema.meta where name = '${copyIdName}') = $1`,
      [copyId],
    );
  }

  async begin(how: "read" | "write"): Promise<void> {
    await this.#ask(
      `begin isolation level repeatable read, read ${how === "read" ? "only" : "write"}`,
    );
    await this.#ask("set local synchronous_commit = on");
    // Overrides settings of the role: a large table may take any time, as may the other end meanwhile.
    for (const bound of [
      "statement_timeout",
      "lock_timeout",
      "idle_in_transaction_session_timeout",
    ])
      await this.#ask(`set local ${bound} = 0`);
    await this.#ask(noTransactionTimeout);
    await this.#ask("set local array_nulls = on");
  }

  async clear(): Promise<void> {
    const tables = [...alikeTables, ...ownTables].map(({ name }) => name);
    for (const name of [...tables, ...leftTables, ...leftPostgresTables])
      await this.#ask(`delete from $schema.${name}`);
  }

  async *read(table: OwnTable): AsyncGenerator<readonly CopiedRow[]> {
    const text = this.#named(table.postgres.read);
    const cursor = this.#client.query(
      new Cursor<CopiedValue[]>(text, [], { rowMode: "array", types: copiedTypes }),
    );
    try {
      for (;;) {
        const rows = await cursor.read(fetchRows);
        if (rows.length === 0) return;
        yield* batches(rows);
      }
    } catch (error) {
      throw asStoreError(error, this.#server);
    } finally {
      await cursor.close();
    }
  }

  async write({ types: typesOf, postgres }: OwnTable, rows: readonly CopiedRow[]): Promise<void> {
    const lists = typesOf.map((_, column) =>
      rows.map((row) => {
        const value = row[column] ?? null;
        if (typeof value === "bigint") return String(value);
        if (typeof value === "string") return withoutNul(value);
        return value instanceof Uint8Array ? Buffer.from(value) : value;
      }),
    );
    const values = typesOf.map((type, index) => `$${index + 1}::${type}[]`).join(", ");
    const names = typesOf.map((_, index) => `v${index + 1}`).join(", ");
    await this.#ask(
      `with r as materialized (select * from unnest(${values}) as r (${names})) ${postgres.write}`,
      lists,
    );
  }

  async count({ name }: OwnTable): Promise<number> {
    return Number(await this.#number(`select count(*) from $schema.${name}`));
  }

  async lastDrawn({ name, drawn = "" }: OwnTable): Promise<bigint> {
    const most = await this.#number(`select coalesce(max(${drawn}), 0) from $schema.${name}`);
    const sequence = await this.#sequenceOf(name, drawn);
    const last = await this.#number(
      `select case when is_called then last_value else 0 end from ${sequence}`,
    );
    return most > last ? most : last;
  }

  async setDrawn({ name, drawn = "" }: OwnTable, last: bigint): Promise<void> {
    const value = [await this.#sequenceOf(name, drawn), String(last > 0n ? last : 1n), last > 0n];
    await this.#ask("select setval($1::regclass, $2::bigint, $3)", value);
  }

  async #sequenceOf(table: string, column: string): Promise<string> {
    const named = this.#named(`$schema.${table}`);
    const [row] = await this.#ask("select pg_get_serial_sequence($1, $2)", [named, column]);
    return String(row?.[0]);
  }

  async adopt(facts: ReadonlyMap<string, string>): Promise<string> {
    const put = `insert into $schema.meta (name, value) values ($1, $2)
      on conflict (name) do update set value = excluded.value`;
    for (const [name, value] of facts) if (!ownFacts.has(name)) await this.#ask(put, [name, value]);
    await this.#ask(put, ["copied_from", facts.get("store_id") ?? ""]);
    const inboxId = facts.get("inbox_id");
    if (inboxId !== undefined) await this.#ask(put, ["inbox_id", inboxId]);
    const { project } = this.#server;
    if (project !== undefined) await this.#ask(put, [projectName, project]);
    await this.#ask(`delete from $schema.meta where ${isOfMark}`);
    const [row] = await this.#ask(
      "update $schema.meta set value = gen_random_uuid()::text where name = 'store_id' returning value",
    );
    return String(row?.[0]);
  }

  async commit(): Promise<void> {
    await this.#ask("commit");
  }

  async rollBack(): Promise<void> {
    // Outside a transaction, Postgres only warns, and nobody sees the warning.
    await this.#ask("rollback");
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
