import { z } from "zod";

import { SupersededError } from "../../../errors.ts";
import { chunkName, laneOf } from "../../../lane-of.ts";
import { refusedAgain } from "../../../records/reject-codes.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { type StageName } from "../../contract/sends/stagings.ts";
import { type StagingStore, stagingRow } from "../../contract/sends/stagings.ts";
import { toJson } from "../../store/json.ts";
import type { Database, Statement } from "../database.ts";
import { count, first } from "../database.ts";
import { createDoubts } from "../doubts/doubts.ts";
import { createSentKeys } from "./sent-keys.ts";

/** The columns of `stagingRow`. */
const stagingColumns = `send, run_id as runId, chunk, stage, state, from_position as "from", to_position as "to",
  done,
  rows_read as read, records, unchanged, filtered, rejected, split_rejected as splitRejected, json_bytes as jsonBytes,
  gzip_bytes as gzipBytes, jsonl_sha256 as jsonlSha256, gzip_sha256 as gzipSha256, bodies`;

/** The error of a write that comes from a staging which is not its chunk's newest. */
export function superseded({ runId, chunk, stage }: StageName): SupersededError {
  return new SupersededError(
    `run ${runId}, ${chunkName(chunk)}: stage ${stage} is not the newest any more`,
  );
}

/** Tells whether a staging is the newest of its chunk, and has not ended. */
export function isStagingIn(db: Database): (name: StageName) => boolean {
  const isStaging = db.prepare(
    `select count(*) from stagings
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
  );
  return ({ runId, chunk, stage }) => count(isStaging, { runId, chunk, stage }) === 1;
}

function attemptIsLate(runId: string, chunk: number): SupersededError {
  return new SupersededError(
    `run ${runId}, ${chunkName(chunk)}: a later attempt stages it already`,
  );
}

function outOfOrder(runId: string, chunk: number, why: string): SupersededError {
  return new SupersededError(`run ${runId}, ${chunkName(chunk)}: ${why}`);
}

/** The error of a run whose send lock another took, because Temporal said that its workflow was closed. */
function lockLost(runId: string): SupersededError {
  return new SupersededError(`run ${runId} does not hold the send lock of its sync any more`, {
    hint: "look at `sluice runs list`: a later run sends what this one left",
  });
}

/**
 * Gives up a run's uncommitted stagings of the chunks `from` to `last` and counts what was under way; to be
 * called inside a transaction.
 */
export function createDropping(db: Database): (runId: string, from: number, last?: number) => void {
  // Not `staged`, `split` or `refused`: those never left, or are accounted for elsewhere.
  const countUnderWay = db.prepare(
    `update runs set possibly_repeated = possibly_repeated + coalesce((
       select sum(r.records) from receipts r join stagings s using (run_id, chunk, stage)
       where s.run_id = $runId and s.chunk between $from and $last and s.state in ('staging', 'staged')
         and (r.state in ('confirming', 'accepted') or (r.state = 'sending' and r.form = 'body'))), 0)
     where run_id = $runId`,
  );
  const drop = db.prepare(
    `update stagings set state = 'dropped'
     where run_id = $runId and chunk between $from and $last and state in ('staging', 'staged')`,
  );
  // A part that left may still be applied: its keys are asked for until it cannot.
  const forgetKeys = db.prepare(
    `delete from sent_keys where send in (
       select send from stagings where run_id = $runId and chunk between $from and $last and state = 'dropped')
     and not exists (select 1 from requests where requests.send = sent_keys.send)`,
  );
  const doubts = createDoubts(db);
  return (runId, from, last = Number.MAX_SAFE_INTEGER) => {
    countUnderWay.run({ runId, from, last });
    doubts.drop({ runId, from, last });
    drop.run({ runId, from, last });
    forgetKeys.run({ runId, from, last });
  };
}

function prepareStagings(
  db: Database,
): Record<
  | "select"
  | "newest"
  | "holds"
  | "isLate"
  | "runSpan"
  | "lane"
  | "insert"
  | "clearRejects"
  | "finish"
  | "totals",
  Statement
> {
  return {
    select: db.prepare(
      `select ${stagingColumns} from stagings where run_id = $runId and chunk = $chunk and stage = $stage`,
    ),
    lane: db.prepare(
      `select from_position as "from", to_position as "to" from lanes where run_id = $runId and lane = $lane`,
    ),
    newest: db.prepare(
      `select ${stagingColumns} from stagings where run_id = $runId and chunk = $chunk order by stage desc limit 1`,
    ),
    holds: db.prepare("select count(*) from locks where run_id = $runId and held"),
    isLate: db.prepare(
      `select count(*) from stagings where run_id = $runId and chunk = $chunk
         and (drawn_scheduled, drawn_attempt) > ($scheduledMs, $number)`,
    ),
    runSpan: db.prepare(
      `select from_position as "from", to_position as "to" from runs where run_id = $runId`,
    ),
    insert: db.prepare(
      `insert into stagings (run_id, chunk, stage, host, drawn_scheduled, drawn_attempt, state, from_position)
       values ($runId, $chunk, $stage, $host, $scheduledMs, $number, 'staging', $from)`,
    ),
    clearRejects: db.prepare(
      "delete from rejects where run_id = $runId and chunk between $chunk and $last",
    ),
    finish: db.prepare(
      `update stagings set state = 'staged', to_position = $to, done = $done, rows_read = $read, records = $records,
         unchanged = $unchanged, filtered = $filtered, rejected = $rejected, json_bytes = $jsonBytes,
         gzip_bytes = $gzipBytes, jsonl_sha256 = $jsonlSha256, gzip_sha256 = $gzipSha256, bodies = $bodies, mapping
           = $mapping
       where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
    ),
    totals: db.prepare(
      `select coalesce(sum(rows_read), 0) as read, coalesce(sum(rejected + split_rejected
         - (select count(*) from rejects r where (r.run_id, r.chunk, r.stage) = (s.run_id, s.chunk, s.stage) and
           code = '${refusedAgain}')), 0) as rejected
       from stagings s where run_id = $runId and (chunk < $chunk or chunk > $last)
       and state in ('staged', 'committed')`,
    ),
  };
}

const totalsRow = z.object({ read: z.int(), rejected: z.int() });

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

/** The stagings of a SQLite store. */
export function createStagingStore(db: Database): StagingStore {
  const statements = prepareStagings(db);
  const drop = createDropping(db);
  const sentKeys = createSentKeys(db);
  const staging: StagingStore["staging"] = ({ runId, chunk, stage }) =>
    first(stagingRow, statements.select, { runId, chunk, stage });
  return {
    staging,
    committedStaging: ({ runId, chunk }) => {
      const newest = first(stagingRow, statements.newest, { runId, chunk });
      return newest?.state === "committed" ? newest : undefined;
    },
    beginStaging: ({ runId, chunk, host, by = { scheduledMs: 0, number: 0 } }) =>
      db.write(() => {
        if (count(statements.holds, { runId }) === 0) throw lockLost(runId);
        const older = first(stagingRow, statements.newest, { runId, chunk });
        if (older?.state === "committed" || older?.state === "cut") throw superseded(older);
        if (count(statements.isLate, { runId, chunk, ...by }) > 0)
          throw attemptIsLate(runId, chunk);
        const { lane, last, isFirst } = laneOf(chunk);
        const before = isFirst
          ? undefined
          : first(stagingRow, statements.newest, { runId, chunk: chunk - 1 });
        if (!isFirst && before?.state !== "staged" && before?.state !== "committed") {
          throw outOfOrder(runId, chunk, "the chunk before it is not staged any more");
        }
        drop(runId, chunk, last);
        statements.clearRejects.run({ runId, chunk, last });
        const ofLane = first(spanRow, statements.lane, { runId, lane });
        // A lane without a span would read the whole source.
        if (ofLane === undefined && lane > 1)
          throw outOfOrder(runId, chunk, "its lane has no span any more");
        const span = ofLane ?? first(spanRow, statements.runSpan, { runId });
        const from = before?.to ?? span?.from;
        const stage = (older?.stage ?? 0) + 1;
        const name = { runId, chunk, stage, host, ...by, from: toJson(from) };
        const to = span?.to ?? null;
        return { stage, send: Number(statements.insert.run(name).lastInsertRowid), from, to };
      }),
    finishStage: ({ counts, keys, mapping = null, ...input }) =>
      db.write(() => {
        const json = { to: toJson(input.to), bodies: JSON.stringify(input.bodies) };
        const columns = { ...input, ...counts, ...json, mapping, done: Number(input.done) };
        const { changes } = statements.finish.run(columns);
        if (changes !== 1) throw superseded(input);
        if (counts.records > 0) sentKeys.put(staging(input)?.send ?? 0, keys);
      }),
    totalsBefore: ({ runId, chunk }) =>
      first(totalsRow, statements.totals, { runId, chunk, last: laneOf(chunk).last }) ?? {
        read: 0,
        rejected: 0,
      },
    dropStagings: ({ runId }) => db.write(() => drop(runId, 0)),
  };
}
