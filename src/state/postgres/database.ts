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

/** Connections of one process at most, for its state. */
const stateConnectionsMax = 5;

/**
 * How long a connection is used: what the role or its database is set to, such as read-only, is what it was when the
 * connection began, and one that is used all the time would never hear that it is over.
 */
const connectionSecondsMax = 60;

/** How often a transaction is tried that others came between. */
const triesMax = 20;

/** The longest pause before such a try; it doubles from a millisecond, and is of random length. */
const pauseMsMax = 200;

/**
 * What says that a transaction had no effect because others came between: a serialization failure, a deadlock, and a
 * key that another inserted meanwhile, which SERIALIZABLE may say of what would have been seen had it come later.
 * Nothing else is repeated: of a connection that was lost at its commit nobody knows whether it had an effect.
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
  /** Calls this once the store went to another timeline: what a process remembers of it may never have been. */
  onRestored(forget: () => void): void;
  /** Calls all of them: the store went back in another way. */
  forget(): void;
  /** Refuses to write to any other store from now on. */
  keepTo(opened: StoreIdentity): void;
  /**
   * Runs `work` in a transaction whose statements each see what was committed before them (READ COMMITTED): for what
   * locks the rows that it decides by, in one order.
   */
  lockAndWrite<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  /** The clock that decides, for a statement of its own. */
  momentOf(callers: Moment): MomentInSql;
  /** Ends its connections; what is under way is finished first. */
  close(): Promise<void>;
};

/** How a process uses the database. */
type Settings = {
  /** @default 5 */
  readonly connectionsMax?: number;
  /** How long a connection may bring nothing before it counts as lost. @default as long as the network says it lives */
  readonly silenceMsMax?: number;
  /** How long a connection is used. @default 60 */
  readonly secondsMax?: number;
  /** @default "database" */
  readonly clock?: ClockSource | undefined;
};

/** The connections of a process, each of which is made when it is needed and replaced when it is lost. */
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
    // The pool is not told how long to try to connect: it would give up on whoever waits for a connection, too.
    Client: class extends Client {
      constructor() {
        super(address);
      }
    },
  });
  // A connection that is lost is replaced by the pool; without these listeners it would end the process, also in mid
  // transaction, whose statements say it, too.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    // Of a network that has gone silent nobody says so for a quarter of an hour.
    const { stream } = client.connection;
    if (silenceMsMax > 0 && stream instanceof Socket)
      stream.setTimeout(silenceMsMax, () => stream.destroy(new Error("it says nothing any more")));
  });
  return pool;
}

/** Opens the state's schema in a Postgres database; it connects when it is asked something. */
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
    // What its server keeps of removed rows, and for how long, is the server's.
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

/** The table whose lock transactions wait for: nobody but a person has rows written to it, which would wait, too. */
const waitedFor = sql.table("checkpointAudit");

/** Waits for other transactions that are tried again; `lock table` alone asks for no snapshot. */
async function waitForOthers(queries: Queries): Promise<void> {
  await sql`lock table ${waitedFor} in share update exclusive mode`.execute(queries);
}

/**
 * Waits for transactions that are tried again, not for others that do the same; and has them wait until this one ends.
 * Parts that follow each other write the same row, each of them for longer than any other transaction takes: one that
 * is tried again in between would have begun before the end of a part each time.
 */
async function letOthersGo(queries: Queries): Promise<void> {
  await sql`lock table ${waitedFor} in share mode`.execute(queries);
}

/**
 * Makes what runs a transaction, and runs it again where others came between. Then it waits for all others that are
 * tried again, and for parts that follow others: left to chance, a few dozen that want the same rows end each other
 * until none has a try left. The lock goes before the transaction sees anything, is in the way of no other first try,
 * and ends with the transaction.
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
