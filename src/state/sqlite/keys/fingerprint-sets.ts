import { z } from "zod";

import type { SyncName } from "../../contract/runs/checkpoints.ts";
import type { Database } from "../database.ts";
import { count, first } from "../database.ts";

const setRow = z.object({ id: z.int(), validAfter: z.int(), nextId: z.int() }).readonly();

/** What the service is known to hold for one sync at one target. */
export type FingerprintSet = z.output<typeof setRow>;

/** A subquery: the number of the set of a run's sync. */
export const setOfRunSql =
  "(select id from fingerprint_sets join runs using (target, sync) where run_id = $runId)";

/** The sets of fingerprints, by their names. Methods that make a set are called inside a transaction. */
export type FingerprintSets = {
  /** Undefined if nothing of the sync was ever to be sent. */
  find(name: SyncName): FingerprintSet | undefined;
  /** The number of a sync's set; 0 if it has none. */
  idOf(name: SyncName): number;
  idOfRun(runId: string): number;
  /** Finds a set, and makes it if there is none. */
  have(name: SyncName): FingerprintSet;
  /** Makes the set of a run's sync if there is none. */
  haveOfRun(runId: string): void;
  /** Sets the first id of a set that no fingerprint has yet. */
  setNextId(input: { readonly id: number; readonly nextId: number }): void;
};

/** The sets of a SQLite store. */
export function createFingerprintSets(db: Database): FingerprintSets {
  const select = db.prepare(
    `select id, valid_after as validAfter, next_id as nextId from fingerprint_sets
     where target = $target and sync = $sync`,
  );
  const ofRun = db.prepare(`select ${setOfRunSql}`);
  const make = db.prepare(
    "insert or ignore into fingerprint_sets (target, sync) values ($target, $sync)",
  );
  const makeOfRun = db.prepare(
    "insert or ignore into fingerprint_sets (target, sync) select target, sync from runs where run_id = $runId",
  );
  const setNextId = db.prepare("update fingerprint_sets set next_id = $nextId where id = $id");
  const find: FingerprintSets["find"] = ({ target, sync }) =>
    first(setRow, select, { target, sync });
  return {
    find,
    idOf: (name) => find(name)?.id ?? 0,
    idOfRun: (runId) => count(ofRun, { runId }),
    have: (name) => {
      const { target, sync } = name;
      make.run({ target, sync });
      return find(name) ?? { id: 0, validAfter: 0, nextId: 1 };
    },
    haveOfRun: (runId) => void makeOfRun.run({ runId }),
    setNextId: (input) => void setNextId.run(input),
  };
}
