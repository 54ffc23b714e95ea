import { z } from "zod";

import { CheckpointMovedError } from "../errors.ts";
import type { Database, Statement } from "./database.ts";
import { all, count, first, jsonColumn, toJson } from "./database.ts";
import { createPruning, type PruneRuns } from "./prune-runs.ts";
import { createAddWarnings, type NewWarnings } from "./warnings.ts";

/** What a run does: all but the last send, `resend` only what is in doubt. */
export const runKinds = ["sync", "inbox", "replay", "backfill", "resend", "pull"] as const;

/** One of `runKinds`. */
export type RunKind = (typeof runKinds)[number];

/** How a run ended. */
export const outcomes = [
  "done",
  "done_with_rejects",
  "failed",
  "cancelled",
  "busy",
  "credits_exhausted",
  "discarded",
  "abandoned",
] as const;

/** One of `outcomes`. */
export type Outcome = (typeof outcomes)[number];

/** The modes a person may ask for; `auto` chooses one of the others. */
export const modes = ["auto", "lightweight", "heavyweight"] as const;

const runRequest = z.object({
  mode: z.enum(modes).optional(),
  /** Ignore fingerprints: send every row. */
  full: z.boolean().optional(),
  /** Rows to read at most. */
  limit: z.int().positive().optional(),
  /** Do everything but send. */
  dryRun: z.boolean().optional(),
  /** Of a backfill: the rows of these keys alone. */
  keys: z.array(z.string()).optional(),
  /** Of a backfill: move the checkpoint to its end. */
  advanceCheckpoint: z.boolean().optional(),
  /** Of a backfill: why. */
  note: z.string().optional(),
  /** Of a replay: the run whose rejects it reads again, only those of one code when it is named. */
  replay: z.object({ run: z.string(), code: z.string().optional() }).optional(),
});

/** What the person who started a run asked for beyond the configuration. */
export type RunRequest = z.output<typeof runRequest>;

const runFailure = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});

/** What ended a run early, as a person reads it. */
export type RunFailure = z.output<typeof runFailure>;

const runRow = z.object({
  runId: z.string(),
  sync: z.string(),
  target: z.string(),
  kind: z.enum(runKinds),
  workflowId: z.string(),
  firstRunId: z.string(),
  /** Temporal's cluster and namespace, where its workflow is to be looked up. */
  temporalId: z.string(),
  /** Whether its rejects are placed by lines of files, which may be told where a key may not. */
  placesAreLines: z.int().transform((stored) => stored === 1),
  /** Number of its latest holding of the send lock; 0 before the first. */
  fence: z.int(),
  configHash: z.string(),
  request: jsonColumn.pipe(runRequest),
  mode: z.string().nullable(),
  modeReason: z.string().nullable(),
  /** The time that its schedule started it for; null for one that a person started. */
  nominalAt: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  outcome: z.enum(outcomes).nullable(),
  failure: jsonColumn.pipe(runFailure.nullable()),
  /** Where the run's first chunk begins: null is the source's beginning. */
  fromPosition: jsonColumn,
  /** How far the run may read: null is the source's end. */
  toPosition: jsonColumn,
  /** Where the oldest transaction began that was open in the source when the run was; null where none was, or none is known. */
  held: jsonColumn,
  /** Rows that lie beyond `toPosition`, because they are stamped in the future. */
  future: z.int(),
  /** Events that its inbox held no more when it began. */
  gone: z.int(),
  checkpointBefore: z.int(),
  /** The version this run wrote or found last: its next commit replaces exactly this one. */
  checkpointVersion: z.int(),
  requests: z.int(),
  retries: z.int(),
  waitedMs: z.int(),
  /** Time in which no worker ran. */
  idleMs: z.int(),
  possiblyRepeated: z.int(),
  splits: z.int(),
  /** What the source's connector wants a person to know, each once. */
  warnings: jsonColumn.pipe(z.array(z.string())),
});

/** One execution of a sync. Times are ISO 8601. */
export type Run = Readonly<z.output<typeof runRow>>;

/** What is known of a run when it opens. */
export type RunOpening = Pick<
  Run,
  | "runId"
  | "sync"
  | "target"
  | "kind"
  | "workflowId"
  | "firstRunId"
  | "temporalId"
  | "configHash"
  | "request"
  | "startedAt"
> & {
  readonly nominalAt?: string | undefined;
  /** @default false */
  readonly placesAreLines?: boolean | undefined;
};

/** Where a run begins and ends in its source, and the checkpoint that this was made from. */
export type RunPlace = {
  readonly runId: string;
  readonly checkpointVersion: number;
  readonly from: unknown;
  readonly to?: unknown;
  readonly held?: unknown;
  readonly future?: number | undefined;
  readonly gone?: number | undefined;
};

/** Amounts that a step adds to its run. */
export type RunFacts = {
  readonly runId: string;
  readonly requests?: number | undefined;
  readonly retries?: number | undefined;
  readonly waitedMs?: number | undefined;
};

/** Runs: what was executed, when, and how it ended. */
export interface RunStore {
  /** Stores a run unless it is already there; answers what is stored. */
  openRun(input: RunOpening): Run;
  /**
   * Sets where a run begins and how far it reads. To be called once the send lock is held, because until then another run may
   * move the checkpoint; a run that has staged keeps its place.
   * @throws {CheckpointMovedError} the checkpoint is not at `checkpointVersion`, or not where a run that has staged left it.
   */
  placeRun(input: RunPlace): Run;
  /** Stores the mode chosen for the whole run and why. */
  setMode(input: { readonly runId: string; readonly mode: string; readonly reason: string }): void;
  addRunFacts(input: RunFacts): void;
  /** Keeps warnings that the run does not have yet, `runWarningsMax` in all. */
  addWarnings(input: NewWarnings): void;
  /** Ends a run; a run that already ended keeps its first outcome. */
  endRun(input: {
    readonly runId: string;
    readonly outcome: Outcome;
    readonly failure?: RunFailure | undefined;
    readonly endedAt: string;
  }): Run;
  run(runId: string): Run | undefined;
  /**
   * The last stored first, whatever their clocks said; of one sync or workflow when named, those that have not ended when `isOpen`,
   * those that ended so when an `outcome` is given.
   */
  runs(input: {
    readonly sync?: string | undefined;
    readonly workflowId?: string | undefined;
    readonly isOpen?: true | undefined;
    readonly outcome?: Outcome | undefined;
    readonly limit: number;
  }): Run[];
  readonly pruneRuns: PruneRuns;
}

const columns = `run_id as runId, sync, target, kind, workflow_id as workflowId, first_run_id as firstRunId,
  temporal_id as temporalId, places_are_lines as placesAreLines, fence, config_hash as configHash, request, mode, mode_reason as modeReason, nominal_at as nominalAt, started_at as startedAt, ended_at as endedAt,
  outcome, failure, from_position as fromPosition, to_position as toPosition, held, future, gone, checkpoint_before as checkpointBefore,
  checkpoint_version as checkpointVersion, requests, retries, waited_ms as waitedMs, idle_ms as idleMs,
  possibly_repeated as possiblyRepeated, splits, warnings`;

function prepareRuns(
  db: Database,
): Record<"insert" | "version" | "place" | "select" | "list" | "mode" | "add" | "end", Statement> {
  return {
    insert: db.prepare(
      `insert into runs (run_id, sync, target, kind, workflow_id, first_run_id, temporal_id, places_are_lines, config_hash, request,
         nominal_at, started_at, from_position, checkpoint_before, checkpoint_version)
       values ($runId, $sync, $target, $kind, $workflowId, $firstRunId, $temporalId, $placesAreLines, $configHash, $request, $nominalAt, $startedAt, null, 0, 0)
       on conflict (run_id) do nothing`,
    ),
    select: db.prepare(`select ${columns} from runs where run_id = $runId`),
    list: db.prepare(
      `select ${columns} from runs where ($sync is null or sync = $sync) and ($workflowId is null or workflow_id = $workflowId)
         and (not $isOpen or ended_at is null) and ($outcome is null or outcome = $outcome)
       order by rowid desc limit $limit`,
    ),
    version: db.prepare(
      "select max(version) from checkpoints join runs using (target, sync) where runs.run_id = $runId",
    ),
    place: db.prepare(
      `update runs set from_position = $from, to_position = $to, held = $held, future = $future, gone = $gone,
         checkpoint_before = $checkpointVersion, checkpoint_version = $checkpointVersion
       where run_id = $runId and not exists (select 1 from sends where sends.run_id = $runId)`,
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

/** @throws {CheckpointMovedError} see `RunStore.placeRun`. */
function place(
  statements: ReturnType<typeof prepareRuns>,
  { runId, checkpointVersion, from, to, held, future = 0, gone = 0 }: RunPlace,
  known: (runId: string) => Run,
): Run {
  const positions = { from: toJson(from), to: toJson(to), held: toJson(held) };
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
      `run ${runId}: the checkpoint moved since the run was opened: it would send again what a later run may have replaced`,
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
    placeRun: (input) => db.write(() => place(statements, input, known)),
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
