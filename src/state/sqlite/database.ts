import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";
import { pathToFileURL } from "node:url";

import type { z } from "zod";

import { BusyError, ConfigError } from "../../errors.ts";
import { makePrivateFile, makePrivateFolder } from "../../security/private-file.ts";
import { beatsKeepSchemaMs, lockWaitMs } from "../limits.ts";
import { movedError, movedToName } from "../moved.ts";
import type { StateDatabase } from "../store/state-database.ts";
import { type Migration, migrations } from "./migrations/migrations.ts";
import { queriesOf } from "./queries.ts";
import { asStateError, isUnwritable } from "./state-fault.ts";
import { createTransactions, type Transactions } from "./transactions.ts";
import { Turns } from "./turns.ts";

/** File systems on which SQLite's locks do not hold, by the magic number of statfs(2). */
const networkFileSystems = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x517b, "SMB"],
  [0x65735546, "FUSE"],
  [0x00c36400, "CephFS"],
]);

/** A prepared statement. */
export type Statement = Pick<StatementSync, "all" | "get" | "iterate" | "run" | "setReturnArrays">;

/**
 * Compiled at first use: a command uses few of some two hundred statements, and compiling all takes longer than most
 * commands.
 */
class LazyStatement implements Statement {
  readonly #db: DatabaseSync;
  readonly #sql: string;
  #compiled: StatementSync | undefined;

  constructor(db: DatabaseSync, sql: string) {
    this.#db = db;
    this.#sql = sql;
  }

  all(...parameters: never[]): ReturnType<StatementSync["all"]> {
    return this.#statement.all(...parameters);
  }

  get(...parameters: never[]): ReturnType<StatementSync["get"]> {
    return this.#statement.get(...parameters);
  }

  iterate(...parameters: never[]): ReturnType<StatementSync["iterate"]> {
    return this.#statement.iterate(...parameters);
  }

  run(...parameters: never[]): ReturnType<StatementSync["run"]> {
    return this.#statement.run(...parameters);
  }

  setReturnArrays(isOn: boolean): void {
    this.#statement.setReturnArrays(isOn);
  }

  get #statement(): StatementSync {
    if (this.#compiled === undefined) {
      this.#compiled = this.#db.prepare(this.#sql);
      this.#compiled.setAllowUnknownNamedParameters(true);
    }
    return this.#compiled;
  }
}

/** One SQLite file that runs one transaction at a time, each begun for writing. */
export type Database = {
  readonly storeId: string;
  /** The same file for the methods that both databases share; each call begins after the previous one has ended. */
  readonly state: StateDatabase;
  /** The turns that calls to its methods take; `state.writeParts` passes one on. */
  readonly turns: Turns;
  /** Prepares a statement; a named parameter that it does not use is not a fault. */
  prepare(sql: string): Statement;
  /**
   * Runs `work` in one BEGIN IMMEDIATE transaction; a transaction that read before it wrote could not wait
   * for another's lock.
   */
  readonly write: <Result>(work: () => Result) => Result;
  /** The same, but durable only with the next write, by any process, that changes something. */
  readonly writeUnsynced: <Result>(work: () => Result) => Result;
  /** Defines an SQL function, which may query the store. */
  define(name: string, work: (...values: SQLOutputValue[]) => SQLInputValue): void;
  close(): void;
};

/**
 * Opens the store's file, making and migrating it as needed; the first of `steps` makes a table `meta`.
 * @throws {ConfigError} the folder is on a network file system, or the file was made by a newer sluice.
 * @throws {BusyError} it has to be migrated, and a worker of the older version uses it.
 * @throws {StateUnavailableError} the file cannot be opened or written.
 */
export function openDatabase(file: string, steps: readonly Migration[] = migrations): Database {
  let db: DatabaseSync | undefined;
  try {
    makePrivateFolder(dirname(file));
    refuseNetworkFileSystem(dirname(file));
    // The files that SQLite makes beside it take its permissions.
    makePrivateFile(file);
    chmodSync(file, 0o600);
    db = new DatabaseSync(file, { timeout: lockWaitMs });
    return prepareDatabase(db, file, steps);
  } catch (error) {
    db?.close();
    throw asStateError(error, file);
  }
}

/** Brings an existing file to this version without opening it: one that was moved is refused to those who open it. */
export function migrateFile(file: string, steps: readonly Migration[] = migrations): void {
  try {
    using db = new DatabaseSync(file, { timeout: lockWaitMs });
    db.exec("pragma secure_delete = on");
    migrate(db, { file, steps, write: createTransactions(db).write });
  } catch (error) {
    throw asStateError(error, file);
  }
}

function prepareDatabase(db: DatabaseSync, file: string, steps: readonly Migration[]): Database {
  // FULL: a commit that was answered survives a power cut, which a checkpoint must (I1).
  // Secure delete: pruned rows are overwritten, not only forgotten.
  // Cache: each look-up of a nightly run goes through the whole table of keys, in its order, and a table larger than
  // the cache is read again each time: with 16 MB, a night of 485,208 unchanged rows took 1.08 times as long.
  // Checkpoint: keys come in random order, so consecutive transactions write the same pages. With SQLite's default of
  // 1,000 pages of the log, nearly each of them copied its pages back.
  db.exec(
    "pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma cache_size = -32768; " +
      "pragma wal_autocheckpoint = 8000",
  );
  const transactions = createTransactions(db);
  migrate(db, { file, steps, write: transactions.write });
  return databaseOf(db, file, transactions);
}

function databaseOf(db: DatabaseSync, file: string, transactions: Transactions): Database {
  const queries = queriesOf(db);
  const turns = new Turns();
  const movedTo = db.prepare(`select value from meta where name = '${movedToName}'`);
  const refuseMoved = (): void => {
    const found = movedTo.get()?.["value"];
    if (found !== undefined) throw movedError(file, String(found));
  };
  refuseMoved();
  const refuseMigrated = createRefuseMigrated(db, file);
  const unmoved =
    <Result>(work: () => Result) =>
    (): Result => {
      refuseMoved();
      refuseMigrated();
      return work();
    };
  const storeId = db.prepare("select value from meta where name = 'store_id'").get();
  return {
    storeId: String(storeId?.["value"]),
    state: {
      write: async (work) =>
        await transactions.writeInSteps(unmoved(async () => await work(queries))),
      writeParts: async (parts, work) => {
        for (const part of parts) {
          await transactions.writeUnsyncedInSteps(unmoved(async () => await work(queries, part)));
          await turns.giveWay();
        }
      },
      queries,
      now: async (_, callers) => await Promise.resolve(callers),
      // Removed rows are still in the log until it is copied back.
      shred: async () => await Promise.resolve(emptyLog(db)),
    },
    turns,
    prepare: (sql) => new LazyStatement(db, sql),
    write: (work) => transactions.write(unmoved(work)),
    writeUnsynced: (work) => transactions.writeUnsynced(unmoved(work)),
    define: (name, work) => db.function(name, { varargs: true }, work),
    close: () => db.close(),
  };
}

/** Makes a check that refuses a store that a newer sluice migrated since it was opened: writes would not fit it. */
function createRefuseMigrated(db: DatabaseSync, file: string): () => void {
  const version = db.prepare("pragma user_version");
  const opened = count(version);
  // An inbox is not refused: an older receiver keeps events in it as before.
  if (!hasWorkers(db)) return () => undefined;
  return () => {
    const now = count(version);
    if (now === opened) return;
    // A worker from before a migration ends with its next beat; work that it took meanwhile is left to newer workers.
    throw new ConfigError(
      `${file} was migrated to schema version ${now}; this process opened it as version ${opened}`,
      {
        field: "store",
        hint: "stop this process, and start it with the newer sluice",
        retryBudgetMs: beatsKeepSchemaMs,
      },
    );
  };
}

/** Copies the log of an open file back, and empties it. Returns false if a reader prevented that. */
export function emptyLog(db: Pick<Database, "prepare"> | Pick<DatabaseSync, "prepare">): boolean {
  return Number(db.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"]) === 0;
}

/**
 * As `openDatabase`, but an existing store that cannot be written is opened read-only: writes to it fail.
 * @throws {ConfigError} also for a store of an older sluice that cannot be written, and so not migrated.
 */
export function openToRead(file: string, steps: readonly Migration[] = migrations): Database {
  try {
    return openDatabase(file, steps);
  } catch (error) {
    if (!isUnwritable(error) || !existsSync(file)) throw error;
  }
  let db: DatabaseSync | undefined;
  try {
    db = connectToRead(file);
    const version = count(db.prepare("pragma user_version"));
    refuseNewer(file, version, steps);
    if (version < steps.length) {
      throw new ConfigError(`${file} is of an older sluice, and cannot be written to change that`, {
        hint: "run `sluice status` once where the state folder can be written",
      });
    }
    return databaseOf(db, file, createTransactions(db));
  } catch (error) {
    db?.close();
    throw asStateError(error, file);
  }
}

/** Opens a file that cannot be written. */
export function connectToRead(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  // SQLite makes files next to the store even to read it; while there are none nobody writes, and it needs none.
  if (!existsSync(`${file}-wal`)) url.searchParams.set("immutable", "1");
  return new DatabaseSync(url, { readOnly: true, timeout: lockWaitMs });
}

function refuseNetworkFileSystem(folder: string): void {
  const kind = networkFileSystems.get(statfsSync(folder).type);
  if (kind !== undefined) {
    throw new ConfigError(
      `the state folder ${folder} is on a network file system (${kind}), where SQLite's locks do not hold`,
      {
        field: "state",
        hint: "set `state:` (or SLUICE_STATE_DIR) to a folder on a local disk",
      },
    );
  }
}

type Migrating = {
  readonly file: string;
  readonly steps: readonly Migration[];
  readonly write: Database["write"];
};

function migrate(db: DatabaseSync, { file, steps, write }: Migrating): void {
  const version = (): number => count(db.prepare("pragma user_version"));
  if (version() === steps.length) return;
  write(() => {
    const from = version(); // read again: another process may have migrated while this one waited for the lock
    refuseNewer(file, from, steps);
    if (from > 0) refuseLiveWorkers(db, file);
    for (const step of steps.slice(from)) {
      if (typeof step === "string") db.exec(step);
      else step(db);
    }
    if (from === 0) {
      db.prepare("insert into meta (name, value) values ('store_id', ?)").run(randomUUID());
    }
    db.exec(`pragma user_version = ${steps.length}`);
  });
}

/** @throws {ConfigError} a newer sluice made the file. */
function refuseNewer(file: string, version: number, steps: readonly Migration[]): void {
  if (version <= steps.length) return;
  throw new ConfigError(
    `${file} has schema version ${version}; this sluice knows versions up to ${steps.length}`,
    { hint: "run the newer sluice that made it" },
  );
}

/** Whether workers note in a file that they live: in a store they do, in an inbox they do not. */
function hasWorkers(db: DatabaseSync): boolean {
  const hosts = "select count(*) from sqlite_master where type = 'table' and name = 'hosts'";
  return count(db.prepare(hosts)) > 0;
}

/** @throws {BusyError} a live worker opened the store as it is: its writes would not fit a newer schema. */
function refuseLiveWorkers(db: DatabaseSync, file: string): void {
  if (!hasWorkers(db)) return;
  // A beat in the future is from before the clock was set back.
  const live = db
    .prepare("select process, version from hosts where abs(? - last_beat) < ? limit 1")
    .get(Date.now(), beatsKeepSchemaMs);
  if (live === undefined) return;
  throw new BusyError(
    `${file} is of an older version, and worker ${String(live["process"])} of sluice ` +
      `${String(live["version"])} works with it`,
    {
      hint: `stop that worker first; one that was killed counts for ${beatsKeepSchemaMs / 1_000} s`,
    },
  );
}

/** The first row of a query as `row` reads it, or undefined. */
export function first<Row>(
  row: z.ZodType<Row>,
  statement: Statement,
  parameters: Record<string, SQLInputValue> = {},
): Row | undefined {
  const found = statement.get(parameters);
  return found === undefined ? undefined : row.parse(found);
}

/** All rows of a query as `row` reads them. */
export function all<Row>(
  row: z.ZodType<Row>,
  statement: Statement,
  parameters: Record<string, SQLInputValue> = {},
): Row[] {
  return statement.all(parameters).map((found) => row.parse(found));
}

/** The single number that a query such as `select count(*)` answers; 0 when it answers no row. */
export function count(
  statement: Statement,
  parameters: Record<string, SQLInputValue> = {},
): number {
  return Number(Object.values(statement.get(parameters) ?? {})[0] ?? 0);
}
