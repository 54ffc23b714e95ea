import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { CamelCasePlugin, type IsolationLevel, Kysely, sql } from "kysely";
import { Client, Pool, types } from "pg";

import type { Moment } from "../../clock.ts";
import { sqlStateOf } from "../../postgres/errors.ts";
import { QualifiedTables } from "../store/qualified-tables.ts";
import type { Queries, StateDatabase } from "../store/state-database.ts";
import type { Tables } from "../store/tables.ts";
import { type ClockSource, type MomentInSql, momentInSql, readClock } from "./clock.ts";
import { LockingDialect } from "./locking-dialect.ts";
import { OtherTimeline, Restored } from "./restored.ts";
import { tableNames } from "./schema.ts";
import { clientOf, type StoreServer } from "./server.ts";
import { asStoreError } from "./store-error.ts";
import { TextsWithNul } from "./texts-with-nul.ts";
import { beginWriting, type StoreIdentity } from "./version.ts";

/** The most connections that a process has for its state. */
const stateConnectionsMax = 5;

/**
 * How long a connection is used. It keeps the settings that its role and database had when it began, such as read-only;
 * one in constant use would never notice that they changed.
 */
const connectionSecondsMax = 60;

/** How often a transaction is tried that conflicts with others. */
const triesMax = 20;

/** The longest pause before such a try. The pause is random; its bound doubles from 2 ms. */
const pauseMsMax = 200;

/**
 * SQLSTATEs of a transaction that had no effect because it conflicted with others: a serialization failure, a deadlock,
 * and a key that another inserted meanwhile, which SERIALIZABLE may report for a row that this transaction would have
 * seen had it begun later. Nothing else is repeated: if the connection was lost at the commit, nobody knows whether it
 * had an effect.
 */
const conflicts: ReadonlySet<string | undefined> = new Set(["40001", "40P01", "23505"]);

/** Columns of these types are numbers: integers of 64 bits, and sums of them. */
const numericTypes: ReadonlySet<number> = new Set([20, 1700]);

const numericAsNumbers = {
  getTypeParser: (oid: number, format?: "text" | "binary"): unknown =>
    numericTypes.has(oid) ? numberOf : types.getTypeParser(oid, format ?? "text"),
};

function numberOf(text: string): number {
  return Number(text);
}

/** An open database in Postgres. */
export type PostgresDatabase = {
  readonly state: StateDatabase;
  /** Calls `forget` when the store moves to another timeline: what a process remembers may never have existed. */
  onRestored(forget: () => void): void;
  /** Calls all of these functions: the store went back in another way. */
  forget(): void;
  /** Refuses to write to any other store from now on. */
  keepTo(opened: StoreIdentity): void;
  /**
   * Runs `work` in a transaction whose statements each see what was committed before them (READ COMMITTED): for work
   * that locks the rows on which it decides, always in the same order.
   */
  lockAndWrite<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  /** The moment by the clock that decides, for a statement. */
  momentOf(callers: Moment): MomentInSql;
  /** Ends its connections; statements under way finish first. */
  close(): Promise<void>;
};

/** How a process uses the database. */
type Settings = {
  /** @default 5 */
  readonly connectionsMax?: number;
  /** How long a connection may be silent before it counts as lost. @default as long as the network says it lives */
  readonly silenceMsMax?: number;
  /** How long a connection is used. @default 60 */
  readonly secondsMax?: number;
  /** @default "database" */
  readonly clock?: ClockSource | undefined;
};

/** Opens the connections of a process; each is made when needed and replaced when lost. */
function openPool(
  server: StoreServer,
  {
    connectionsMax = stateConnectionsMax,
    silenceMsMax = 0,
    secondsMax = connectionSecondsMax,
  }: Settings,
): Pool {
  const address = { ...clientOf(server), application_name: "sluice", types: numericAsNumbers };
  const pool = new Pool({
    max: connectionsMax,
    maxLifetimeSeconds: secondsMax,
    // The pool gets no connect timeout: it would apply to callers that wait for a free connection, too.
    Client: class extends Client {
      constructor() {
        super(address);
      }
    },
  });
  // The pool replaces a lost connection. Without these listeners it would end the process, even mid-transaction, where
  // the statements report the loss anyway.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    // When the network goes silent, nothing reports it for a quarter of an hour.
    const { stream } = client.connection;
    if (silenceMsMax > 0 && stream instanceof Socket)
      stream.setTimeout(silenceMsMax, () => stream.destroy(new Error("it says nothing any more")));
  });
  return pool;
}

/** Opens the state's schema in a Postgres database; it connects at the first query. */
export function openPostgresDatabase(
  server: StoreServer,
  settings: Settings = {},
): PostgresDatabase {
  const { clock = "database" } = settings;
  const pool = openPool(server, settings);
  const queries: Queries = new Kysely<Tables>({
    dialect: new LockingDialect({ pool }, server.schema),
    plugins: [
      new CamelCasePlugin({ maintainNestedObjectKeys: true }),
      new QualifiedTables(server.schema, tableNames),
      new TextsWithNul(),
    ],
  });
  const restored = new Restored(queries, server);
  let kept: StoreIdentity | undefined;
  const writer = createWriter(queries, server, { restored, opened: () => kept });
  const lockAndWrite = writer("read committed");
  const state: StateDatabase = {
    queries,
    write: writer("serializable"),
    writeParts: async (parts, work) => {
      for (const [index, part] of parts.entries()) {
        await lockAndWrite(async (transaction) => {
          if (index > 0) await letOthersGo(transaction);
          await work(transaction, part);
        });
      }
    },
    now: async (asking, callers) => await readClock(clock, asking, callers),
    // The server decides what it keeps of removed rows, and for how long.
    shred: async () => false,
  };
  return {
    state,
    onRestored: (forget) => restored.onRestored(forget),
    forget: () => restored.forget(),
    keepTo: (opened) => (kept = opened),
    lockAndWrite,
    momentOf: (callers) => momentInSql(clock, callers),
    close: async () => await queries.destroy(),
  };
}

/** The table on whose lock transactions wait. Only a person's commands write to it, and those would wait, too. */
const waitedFor = sql.table("checkpointAudit");

/** Waits for other transactions that are being retried; `lock table` alone takes no snapshot. */
async function waitForOthers(queries: Queries): Promise<void> {
  await sql`lock table ${waitedFor} in share update exclusive mode`.execute(queries);
}

/**
 * Waits for transactions that are being retried, but not for others that do the same; later retries wait until this
 * transaction ends. Parts that follow each other write the same row, each for longer than any other transaction takes:
 * otherwise a retry in between would each time have begun before the end of a part.
 */
async function letOthersGo(queries: Queries): Promise<void> {
  await sql`lock table ${waitedFor} in share mode`.execute(queries);
}

/**
 * Makes a function that runs a transaction, and retries it after a conflict. A retry first waits for all other retries,
 * and for parts that follow others: left to chance, a few dozen that want the same rows end each other until none has a
 * try left. The lock is taken before the transaction sees anything, blocks no other first try, and ends with the
 * transaction.
 */
function createWriter(
  queries: Queries,
  server: StoreServer,
  of: { readonly restored: Restored; readonly opened: () => StoreIdentity | undefined },
) {
  const { restored } = of;
  return (level: IsolationLevel) =>
    async <Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> => {
      const opened = of.opened();
      for (let tried = 1; ; tried += 1) {
        try {
          const asksTimeline = await restored.isTold();
          return await queries
            .transaction()
            .setIsolationLevel(level)
            .execute(async (transaction) => {
              if (tried > 1) await waitForOthers(transaction);
              const found = await beginWriting(transaction, server, { asksTimeline, opened });
              if (restored.isSame(found)) return await work(transaction);
              throw new OtherTimeline(found);
            });
        } catch (error) {
          if (error instanceof OtherTimeline) {
            const fault = await restored.noted(error);
            if (fault !== undefined) throw fault;
            continue;
          }
          if (tried === triesMax || !conflicts.has(sqlStateOf(error)))
            throw asStoreError(error, server, opened !== undefined);
          await sleep(Math.random() * Math.min(pauseMsMax, 2 ** tried));
        }
      }
    };
}
