import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { runEffect } from "../../../../src/effect.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openPostgresInline, schemaOf } from "../../../support/project/inline-postgres.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";

/** A store under test, with direct access to its database. */
export type KeyImplementation = {
  readonly kind: string;
  /** Opens the store of a folder, each time as another process would. With fewer bits, keys share their numbers. */
  readonly open: (folder: string, numberBits?: number) => Promise<StateStore>;
  /** The rows of a statement. */
  readonly rows: (folder: string, sql: string) => Promise<readonly Record<string, unknown>[]>;
  /** Makes the store fail at a write, until the returned function is called. */
  readonly failAt: (folder: string, write: Write) => Promise<() => Promise<void>>;
};

/** A write, in terms of a trigger. */
export type Write = {
  readonly at: string;
  /** A condition on the new row. */
  readonly when?: string;
  /** The name of the trigger, for several that fail at the same time. @default killed */
  readonly as?: string;
};

async function inSqlite(folder: string, sql: string): Promise<Record<string, unknown>[]> {
  const db = new DatabaseSync(join(folder, "state.db"));
  try {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all();
  } finally {
    db.close();
  }
}

async function inPostgres(
  folder: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const { url, schema } = await schemaOf(folder);
  return await runSql(url.reveal(), `set search_path to ${schema}; ${sql}`);
}

/** The implementations that pass the contract of keys. */
export const keyImplementations: readonly KeyImplementation[] = [
  {
    kind: "sqlite",
    open: async (folder, numberBits) => await openStoreInline(folder, runEffect, { numberBits }),
    rows: inSqlite,
    failAt: async (folder, { at, when = "true", as = "killed" }) => {
      await inSqlite(
        folder,
        `create trigger ${as} ${at} when ${when} begin select raise(abort, 'killed'); end`,
      );
      return async () => void (await inSqlite(folder, `drop trigger ${as}`));
    },
  },
  {
    kind: "postgres",
    open: async (folder, numberBits) => await openPostgresInline(folder, runEffect, numberBits),
    rows: inPostgres,
    failAt: async (folder, { at, when = "true", as = "killed" }) => {
      await inPostgres(
        folder,
        `create function ${as}() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
         create trigger ${as} ${at} for each row when (${when}) execute function ${as}()`,
      );
      return async () => void (await inPostgres(folder, `drop function ${as} cascade`));
    },
  },
];
