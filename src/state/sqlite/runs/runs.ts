import { CheckpointMovedError } from "../../../errors.ts";
import { type RunPlace } from "../../contract/runs/runs.ts";
import { type Run, type RunStore, runRow } from "../../contract/runs/runs.ts";
import type { Database, Statement } from "../database.ts";
import { all, count, first, toJson } from "../database.ts";
import { createPruning } from "./prune-runs.ts";
import { createAddWarnings } from "./warnings.ts";

const columns = `run_id as runId, sync, target, kind, workflow_id as workflowId, first_run_id as firstRunId,
  temporal_id as temporalId, places_are_lines as placesAreLines, fence, config_hash as configHash, request, mode,
    mode_reason as modeReason, nominal_at as nominalAt, started_at as startedAt, ended_at as endedAt,
  outcome, failure, from_position as fromPosition, to_position as toPosition, oldest_open as oldestOpen, future,
  gone, checkpoint_before as checkpointBefore,
  checkpoint_version as checkpointVersion, requests, retries, waited_ms as waitedMs, idle_ms as idleMs,
  possibly_repeated as possiblyRepeated, splits, warnings`;

function prepareRuns(
  db: Database,
): Record<"insert" | "version" | "place" | "select" | "list" | "mode" | "add" | "end", Statement> {
  return {
    insert: db.prepare(
      `insert into runs (run_id, sync, target, kind, workflow_id, first_run_id, temporal_id, places_are_lines,
        config_hash, request,
         nominal_at, started_at, from_position, checkpoint_before, checkpoint_version)
       values ($runId, $sync, $target, $kind, $workflowId, $firstRunId, $temporalId, $placesAreLines, $configHash,
         $request, $nominalAt, $startedAt, null, 0, 0)
       on conflict (run_id) do nothing`,
    ),
    select: db.prepare(`select ${columns} from runs where run_id = $runId`),
    list: db.prepare(
      `select ${columns} from runs where ($sync is null or sync = $sync) and
        ($workflowId is null or workflow_id = $workflowId)
         and (not $isOpen or ended_at is null) and ($outcome is null or outcome = $outcome)
       order by rowid desc limit $limit`,
    ),
    version: db.prepare(
      "select max(version) from checkpoints join runs using (target, sync) where runs.run_id = $runId",
    ),
    place: db.prepare(
      `update runs set from_position = $from, to_position = $to, oldest_open = $oldestOpen,
       future = $future, gone = $gone,
         checkpoint_before = $checkpointVersion, checkpoint_version = $checkpointVersion
       where run_id = $runId and not exists (select 1 from stagings where stagings.run_id = $runId)`,
    ),
    mode: db.prepare("update runs set mode = $mode, mode_reason = $reason where run_id = $runId"),
    add: db.prepare(
      `update runs set requests = requests + $requests, retries = retries + $retries, waited_ms = waited_ms + $waitedMs
       where run_id = $runId`,
    ),
    end: db.prepare(
      `update runs set outcome = $outcome, failure = $failure, ended_at = $endedAt
       where run_id = $runId and ended_at is null`,
    ),
  };
}

/** @throws {CheckpointMovedError} see `RunStore.setRunRange`. */
function place(
  statements: ReturnType<typeof prepareRuns>,
  { runId, checkpointVersion, from, to, oldestOpen, future = 0, gone = 0 }: RunPlace,
  known: (runId: string) => Run,
): Run {
  const positions = { from: toJson(from), to: toJson(to), oldestOpen: toJson(oldestOpen) };
  const { changes } = statements.place.run({
    runId,
    checkpointVersion,
    future,
    gone,
    ...positions,
  });
  const run = known(runId);
  const isMoving = run.kind === "sync" || run.kind === "inbox";
  const ours = changes === 1 || !isMoving ? checkpointVersion : run.checkpointVersion;
  if (count(statements.version, { runId }) !== ours) {
    throw new CheckpointMovedError(
      `run ${runId}: the checkpoint moved since the run was opened: it would send again what a later run may ` +
        "have replaced",
      { hint: "run the sync again: it continues from the checkpoint" },
    );
  }
  return run;
}

/** The runs of a SQLite store. */
export function createRunStore(db: Database): RunStore {
  const statements = prepareRuns(db);
  const run = (runId: string): Run | undefined => first(runRow, statements.select, { runId });
  const known = (runId: string): Run => {
    const found = run(runId);
    if (found === undefined) throw new Error(`run ${runId} is not in the store`);
    return found;
  };
  return {
    run,
    runs: ({ sync = null, workflowId = null, isOpen = false, outcome = null, limit }) =>
      all(runRow, statements.list, { sync, workflowId, isOpen: Number(isOpen), outcome, limit }),
    openRun: ({ nominalAt = null, placesAreLines = false, ...input }) =>
      db.write(() => {
        statements.insert.run({
          ...input,
          nominalAt,
          placesAreLines: Number(placesAreLines),
          request: JSON.stringify(input.request),
        });
        return known(input.runId);
      }),
    setRunRange: (input) => db.write(() => place(statements, input, known)),
    setMode: (input) => db.write(() => void statements.mode.run(input)),
    addRunFacts: ({ runId, requests = 0, retries = 0, waitedMs = 0 }) =>
      db.write(
        () => void statements.add.run({ runId, requests, retries, waitedMs: Math.round(waitedMs) }),
      ),
    addWarnings: createAddWarnings(db),
    endRun: (input) =>
      db.write(() => {
        statements.end.run({ ...input, failure: toJson(input.failure) });
        return known(input.runId);
      }),
    pruneRuns: createPruning(db),
  };
}
