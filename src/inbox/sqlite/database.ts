import { StateUnavailableError } from "../../errors.ts";
import { emptyLog, openDatabase, openToRead, type Database } from "../../state/sqlite/database.ts";
import { createIsReplaced } from "../../state/sqlite/replaced.ts";
import { asStateError } from "../../state/sqlite/state-fault.ts";
import type { Inbox, InboxMethods, InboxUse } from "../inbox.ts";
import { inboxCacheKib, inboxLogPages } from "../limits.ts";
import { createBacklog, createLeaving } from "./backlog.ts";
import { createErasing } from "./erasing.ts";
import { createKeeping } from "./keeping.ts";
import { inboxMigrations } from "./migrations.ts";
import { createReading } from "./reading.ts";

/** An inbox that is open in the calling thread. */
export type InboxDatabase = InboxMethods & Pick<Inbox, "inboxId"> & { readonly close: () => void };

type Opened = {
  readonly db: Database;
  /** Whether the file's name now refers to another file, or to none: then nobody finds what is written. */
  readonly isReplaced: () => boolean;
  readonly methods: InboxMethods;
};

/**
 * Opens an inbox in the calling thread, making its file as needed. After a fault of the disk the next call reopens the
 * file, and fails until that succeeds. With `onlyReads` it also opens an inbox that cannot be written.
 * @throws {ConfigError} @throws {StateUnavailableError} as `openDatabase`.
 */
export function openInboxDatabase(
  file: string,
  { onlyReads = false }: InboxUse = {},
): InboxDatabase {
  let opened: Opened | undefined = open(file, onlyReads);
  let isSuspect = false;
  const inboxId = opened.db.storeId;

  const reopened = (): Opened => {
    opened?.db.close();
    opened = undefined;
    const next = open(file, onlyReads);
    try {
      settle(next.db, { file, inboxId });
    } catch (error) {
      next.db.close();
      throw error;
    }
    opened = next;
    isSuspect = false;
    return next;
  };
  const run = <Result>(work: (methods: Opened["methods"]) => Result): Result => {
    try {
      const { methods, isReplaced } = opened === undefined || isSuspect ? reopened() : opened;
      const result = work(methods);
      if (!isReplaced()) return result;
      throw new StateUnavailableError(`${file} was removed or replaced`, {
        hint: "start this process again",
      });
    } catch (error) {
      const kind = kindOf(error);
      isSuspect ||= kind === "disk";
      // Not a fault of the store: another event can be kept.
      if (kind === "values") throw new Error("SQLite does not take an event", { cause: error });
      throw asStateError(error, file);
    }
  };
  return {
    inboxId,
    now: () => run((methods) => methods.now()),
    keep: (deliveries) => run((methods) => methods.keep(deliveries)),
    takeWakeUp: (input) => run((methods) => methods.takeWakeUp(input)),
    setAccepted: (input) => run((methods) => methods.setAccepted(input)),
    leaving: (input) => run((methods) => methods.leaving(input)),
    setLeaving: (input) => run((methods) => methods.setLeaving(input)),
    backlogs: () => run((methods) => methods.backlogs()),
    read: (input) => run((methods) => methods.read(input)),
    get: (input) => run((methods) => methods.get(input)),
    prune: (input) => run((methods) => methods.prune(input)),
    erase: (input) => run((methods) => methods.erase(input)),
    forgetIds: (input) => run((methods) => methods.forgetIds(input)),
    close: () => opened?.db.close(),
  };
}

function open(file: string, onlyReads: boolean): Opened {
  const db = onlyReads ? openToRead(file, inboxMigrations) : openDatabase(file, inboxMigrations);
  db.prepare(`pragma wal_autocheckpoint = ${inboxLogPages}`).get();
  db.prepare(`pragma cache_size = -${inboxCacheKib}`).get();
  const { read, get } = createReading(db);
  const isReplaced = createIsReplaced(file);
  const backlog = { ...createBacklog(db), ...createLeaving(db) };
  const methods = { ...createKeeping(db), ...backlog, ...createErasing(db), read, get };
  return { db, isReplaced, methods };
}

/**
 * Makes a file fit for the next write after one has failed. The failed flush may have left a part of the log that is
 * whole in memory but torn on disk, where it would end the log before anything appended later: so the log is written
 * into the file and restarted.
 */
function settle(db: Database, { file, inboxId }: { file: string; inboxId: string }): void {
  if (db.storeId !== inboxId) {
    throw new StateUnavailableError(`${file} is another inbox than it was`, {
      hint: "start this process again",
    });
  }
  if (!emptyLog(db)) throw new StateUnavailableError(`${file}: another process reads what failed`);
}

/** SQLite's codes for a value that it does not accept: too big, a broken constraint, a wrong type, out of range. */
const codesOfValues: readonly number[] = [18, 19, 20, 25];

/** SQLite's code for a lock that was not obtained in time. */
const codeOfBusy = 5;

/** The kind of a fault; undefined for one that has nothing to do with the file. */
function kindOf(error: unknown): "disk" | "values" | undefined {
  const { cause } = error instanceof StateUnavailableError ? error : { cause: error };
  if (!(cause instanceof Error && "errcode" in cause)) return undefined;
  const code = Number(cause.errcode) & 0xff;
  if (codesOfValues.includes(code)) return "values";
  return code === codeOfBusy ? undefined : "disk";
}
