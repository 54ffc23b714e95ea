import type { DatabaseSync } from "node:sqlite";

import { lockBurstMs, lockGapMs, lockLookMs, lockWaitMs } from "../limits.ts";

/** What SQLite calls a lock that another connection holds. */
const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  // The low byte is the code; the others tell, for one, that another process is recovering the file.
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
  /** Runs `work` in one. */
  readonly write: <Result>(work: () => Result) => Result;
  /** Runs `work` in one while others wait; whoever calls it begins no other before its promise is settled. */
  readonly writeInSteps: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * SQLite queues no one, and looks ever more seldom at a lock that it waits for: a process that writes one
 * transaction after another keeps another process out for seconds. So each leaves a gap now and then, and the
 * one that waits looks often enough to meet it.
 */
export function createTransactions(db: DatabaseSync): Transactions {
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
  const commit = <Result>(result: Result): Result => {
    db.exec("commit");
    return result;
  };
  const rollBack = (): void => {
    if (db.isTransaction) db.exec("rollback");
  };
  const end = (): void => {
    endedMs = performance.now();
  };
  return {
    write: (work) => {
      begin();
      try {
        return commit(work());
      } catch (error) {
        rollBack();
        throw error;
      } finally {
        end();
      }
    },
    writeInSteps: async (work) => {
      begin();
      try {
        return commit(await work());
      } catch (error) {
        rollBack();
        throw error;
      } finally {
        end();
      }
    },
  };
}
