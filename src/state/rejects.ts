import { z } from "zod";

import type { Database } from "./database.ts";
import { all, count } from "./database.ts";
import type { StageName } from "./sends.ts";
import { superseded } from "./sends.ts";

/** A row or record that was refused. */
export type RejectEntry = {
  readonly stream: string;
  /** Where a person finds it: `accounts.csv:48211`. */
  readonly place: string;
  /** Number of its row in the chunk, in the order of the source; undefined where that is not known. */
  readonly rowNumber?: number | undefined;
  readonly key?: string | undefined;
  /** Which step refused it. */
  readonly step: "read" | "map" | "validate" | "duplicate" | "send" | "pull" | "write";
  readonly code: string;
  readonly field?: string | undefined;
  readonly reason: string;
  /** The source row as JSON or text, unless the `pii` settings drop it. */
  readonly row?: string | undefined;
  /** Of a record that was sent: of its line, by which a later staging knows it. */
  readonly hash?: Uint8Array | undefined;
};

/** As the store reads it: `rejectColumns`. */
export const rejectRow = z
  .object({
    runId: z.string(),
    chunk: z.int(),
    /** Its number in the chunk, from 1. */
    ordinal: z.int(),
    stream: z.string(),
    place: z.string(),
    key: z.string().nullable(),
    step: z.string(),
    code: z.string(),
    field: z.string().nullable(),
    reason: z.string(),
    row: z.string().nullable(),
    createdAt: z.string(),
    /** The run that read its row again; null while none did. */
    replayedBy: z.string().nullable(),
    /** Whether that run found that newer rows of its key had been staged since, and did not send it. */
    superseded: z.int().transform(Boolean),
  })
  .readonly();

/** A reject as it is in the store. */
export type Reject = z.output<typeof rejectRow>;

const reasonRow = z
  .object({
    code: z.string(),
    count: z.int(),
    chunk: z.int(),
    ordinal: z.int(),
    place: z.string(),
    field: z.string().nullable(),
  })
  .readonly();

/** How often a code occurred in a run, and where first: in which row, and in which field of it. */
export type RejectReason = z.output<typeof reasonRow>;

/** The place of a reject in its run, for paging. */
export type RejectNumber = { readonly chunk: number; readonly ordinal: number };

/** Rejects: every row and record refused, with its place and the reason. */
export interface RejectStore {
  /** @throws {SupersededError} the staging is not the newest. */
  addRejects(
    input: StageName & { readonly rejects: readonly RejectEntry[]; readonly at: string },
  ): void;
  /** In order of chunk and ordinal, after `after`. */
  rejects(input: {
    readonly runId: string;
    readonly after?: RejectNumber | undefined;
    readonly limit: number;
  }): Reject[];
  /** Most frequent first. */
  rejectReasons(input: { readonly runId: string; readonly limit: number }): RejectReason[];
}

/** Inserts the rejects of one staging, numbered on from the chunk's last; to be called inside a transaction. */
export function insertRejects(
  db: Database,
): (name: StageName, rejects: readonly RejectEntry[], at: string) => void {
  const last = db.prepare(
    "select max(ordinal) from rejects where run_id = $runId and chunk = $chunk",
  );
  const insert = db.prepare(
    `insert into rejects (run_id, chunk, ordinal, stage, stream, place, row_number, key, step, code, field, reason, source_row, created_at)
     values ($runId, $chunk, $ordinal, $stage, $stream, $place, $rowNumber, $key, $step, $code, $field, $reason, $row, $at)`,
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
export const rejectColumns = `run_id as runId, chunk, ordinal, stream, place, key, step, rejects.code, field, reason, source_row as row,
       created_at as createdAt, replayed_by as replayedBy, superseded`;

/** The rejects of a SQLite store. */
export function createRejectStore(db: Database): RejectStore {
  const isStaging = db.prepare(
    `select count(*) from sends
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
  );
  const list = db.prepare(
    `select ${rejectColumns} from rejects where run_id = $runId and (chunk, ordinal) > ($chunk, $ordinal) order by chunk, ordinal limit $limit`,
  );
  // SQLite takes the bare columns beside a single min() from the row that holds the minimum.
  const reasons = db.prepare(
    // The minimum itself is not asked for: with many lanes it is not a number that JavaScript holds exactly.
    `select code, count, chunk, ordinal, place, field from (
       select code, count(*) as count, chunk, ordinal, place, field, min(chunk * 1000000000 + ordinal)
       from rejects where run_id = $runId group by code)
     order by count desc, code limit $limit`,
  );
  const add = insertRejects(db);
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
