import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { Client } from "pg";

import { schemaOf } from "../../../support/project/inline-postgres.ts";

/** Direct access to a store's own tables. */
export type RawTables = {
  readonly run: (sql: string) => Promise<void>;
  /** Every row of every table, as JSON, one a line. */
  readonly dump: () => Promise<string>;
};

function textOf(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function ofSqlite(folder: string): RawTables {
  const using = <Result>(work: (db: DatabaseSync) => Result): Result => {
    const db = new DatabaseSync(join(folder, "state.db"));
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    run: async (sql) => await Promise.resolve(using((db) => db.exec(sql))),
    dump: async () => {
      const lines = using((db) => {
        const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
        return tables.flatMap(({ name }) => {
          const all = db.prepare(`select * from "${String(name)}"`);
          all.setReadBigInts(true);
          return all.all().map((row) => `${String(name)} ${JSON.stringify(row, textOf)}`);
        });
      });
      return await Promise.resolve(lines.join("\n"));
    },
  };
}

function ofPostgres(folder: string): RawTables {
  const using = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const { url, schema } = await schemaOf(folder);
    const client = new Client(url.reveal());
    await client.connect();
    try {
      await client.query(`set search_path to ${schema}`);
      return await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    run: async (sql) => await using(async (client) => void (await client.query(sql))),
    dump: async () =>
      await using(async (client) => {
        const { rows } = await client.query<{ name: string }>(
          "select tablename as name from pg_tables where schemaname = current_schema",
        );
        const lines: string[] = [];
        for (const { name } of rows) {
          const all = await client.query<{ row: string }>(`select t::text as row from "${name}" t`);
          lines.push(...all.rows.map(({ row }) => `${name} ${row}`));
        }
        return lines.join("\n");
      }),
  };
}

/** The tables of a folder's store. */
export function rawTables(kind: string, folder: string): RawTables {
  return kind === "postgres" ? ofPostgres(folder) : ofSqlite(folder);
}
