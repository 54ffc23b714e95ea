import { type RejectStore } from "../../contract/rejects/rejects.ts";
import { reasonRow } from "../../contract/rejects/rejects.ts";
import { type RejectEntry, rejectRow } from "../../contract/rejects/rejects.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import { superseded } from "../../store/sends/stagings.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";

/** Inserts the rejects of one staging, numbered on from the chunk's last; to be called inside a transaction. */
export function createRejectInserts(
  db: Database,
): (name: StageName, rejects: readonly RejectEntry[], at: string) => void {
  const last = db.prepare(
    "select max(ordinal) from rejects where run_id = $runId and chunk = $chunk",
  );
  const insert = db.prepare(
    `insert into rejects (run_id, chunk, ordinal, stage, stream, place, row_number, key, step, code, field, reason,
      source_row, created_at)
     values ($runId, $chunk, $ordinal, $stage, $stream, $place, $rowNumber, $key, $step, $code, $field, $reason,
     $row, $at)`,
  );
  return (name, rejects, at) => {
    let ordinal = count(last, name);
    for (const { key = null, field = null, row = null, rowNumber = null, ...reject } of rejects) {
      const { stream, place, step, code, reason } = reject;
      ordinal += 1;
      const columns = { stream, place, rowNumber, key, step, code, field, reason, row };
      insert.run({ ...name, ...columns, ordinal, at });
    }
  };
}

/** Columns of a reject, as its schema names them. */
export const rejectColumns = `run_id as runId, chunk, ordinal, stream, place, key, step, rejects.code, field, reason,
  source_row as row,
       created_at as createdAt, replayed_by as replayedBy, superseded`;

/** The rejects of a SQLite store. */
export function createRejectStore(db: Database): RejectStore {
  const isStaging = db.prepare(
    `select count(*) from stagings
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
  );
  const list = db.prepare(
    `select ${rejectColumns} from rejects where run_id = $runId and (chunk, ordinal) > ($chunk, $ordinal) ` +
      "order by chunk, ordinal limit $limit",
  );
  // SQLite takes the bare columns beside a single min() from the row that holds the minimum.
  const reasons = db.prepare(
    // The minimum itself is not asked for: with many lanes it is not a number that JavaScript holds exactly.
    `select code, count, chunk, ordinal, place, field from (
       select code, count(*) as count, chunk, ordinal, place, field, min(chunk * 1000000000 + ordinal)
       from rejects where run_id = $runId group by code)
     order by count desc, code limit $limit`,
  );
  const add = createRejectInserts(db);
  return {
    addRejects: ({ rejects, at, ...name }) =>
      db.write(() => {
        if (count(isStaging, name) !== 1) throw superseded(name);
        add(name, rejects, at);
      }),
    rejects: ({ runId, after = { chunk: 0, ordinal: 0 }, limit }) =>
      all(rejectRow, list, { runId, ...after, limit }),
    rejectReasons: (input) => all(reasonRow, reasons, input),
  };
}
