import type { DatabaseSync } from "node:sqlite";

import { lockBurstMs, lockGapMs, lockLookMs, lockWaitMs } from "../limits.ts";

/** SQLite's code for a lock that another connection holds. */
const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  // The low byte is the code; the others say, for example, that another process is recovering the file.
  return (
    error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy
  );
}

/** Blocks this thread, which has nothing else to do. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Transactions on one SQLite file, each begun for writing and one at a time. */
export type Transactions = {
  /** Runs `work` in a transaction. */
  readonly write: <Result>(work: () => Result) => Result;
  /** The same, unsynced: a power cut undoes it, unless a later transaction was synced. */
  readonly writeUnsynced: <Result>(work: () => Result) => Result;
  /** Runs `work` in a transaction while others wait; the caller begins no other before the promise is settled. */
  readonly writeInSteps: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** The same, unsynced. */
  readonly writeUnsyncedInSteps: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * SQLite has no queue, and checks a lock that it waits for less and less often: a process that writes one transaction
 * after another keeps another process out for seconds. So each leaves a gap now and then, and a waiting process checks
 * often enough to catch it.
 */
function createTurns(db: DatabaseSync): { readonly begin: () => void; readonly end: () => void } {
  let [endedMs, freeMs] = [0, 0];
  const begin = (): void => {
    const nowMs = performance.now();
    if (nowMs - endedMs >= lockGapMs) freeMs = nowMs;
    else if (nowMs - freeMs >= lockBurstMs) {
      pause(lockGapMs);
      freeMs = performance.now();
    }
    const untilMs = performance.now() + lockWaitMs;
    db.exec("pragma busy_timeout = 0");
    try {
      for (;;) {
        try {
          db.exec("begin immediate");
          return;
        } catch (error) {
          if (!isBusy(error) || performance.now() >= untilMs) throw error;
          pause(lockLookMs);
        }
      }
    } finally {
      db.exec(`pragma busy_timeout = ${lockWaitMs}`);
    }
  };
  const end = (): void => {
    endedMs = performance.now();
  };
  return { begin, end };
}

/** Makes the transactions on an open file. */
export function createTransactions(db: DatabaseSync): Transactions {
  const { begin, end } = createTurns(db);
  const commit = <Result>(result: Result): Result => {
    db.exec("commit");
    return result;
  };
  const rollBack = (): void => {
    if (db.isTransaction) db.exec("rollback");
  };
  const write = <Result>(work: () => Result): Result => {
    begin();
    try {
      return commit(work());
    } catch (error) {
      rollBack();
      throw error;
    } finally {
      end();
    }
  };
  const writeInSteps = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    begin();
    try {
      return commit(await work());
    } catch (error) {
      rollBack();
      throw error;
    } finally {
      end();
    }
  };
  // The log is one file, written in order: whoever syncs it next syncs this, too (https://sqlite.org/wal.html).
  // Otherwise copies of pages that a statement changes would go to a file of their own, a third write of each.
  // SQLite refuses to change `temp_store` while a temporary table is read: in this order, synced writes stay synced.
  const unsynced = "pragma temp_store = memory; pragma synchronous = normal";
  const synced = "pragma synchronous = full; pragma temp_store = default";
  return {
    write,
    writeInSteps,
    writeUnsynced: (work) => {
      db.exec(unsynced);
      try {
        return write(work);
      } finally {
        db.exec(synced);
      }
    },
    writeUnsyncedInSteps: async (work) => {
      db.exec(unsynced);
      try {
        return await writeInSteps(work);
      } finally {
        db.exec(synced);
      }
    },
  };
}
