import { z } from "zod";

import { jsonColumn } from "../json-column.ts";
import type { KeptMapping } from "../keys/adoptions.ts";
import { hold, type Hold } from "./holds.ts";

/** What a run does: all kinds but the last send, `resend` only what is in doubt. */
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

/** What a run was asked for, as its JSON has it. */
export const runRequest = z.object({
  mode: z.enum(modes).optional(),
  /** Ignore fingerprints: send every row. */
  full: z.boolean().optional(),
  /** Rows to read at most. */
  limit: z.int().positive().optional(),
  /** For a backfill: only the rows of these keys. */
  keys: z.array(z.string()).optional(),
  /** For a backfill: move the checkpoint to its end. */
  advanceCheckpoint: z.boolean().optional(),
  /** For a backfill: why it is made. */
  note: z.string().optional(),
  /** For a replay: the run whose rejects it reads again, and only those of one code if it is named. */
  replay: z.object({ run: z.string(), code: z.string().optional() }).optional(),
});

/** What the person who started a run asked for beyond the configuration. */
export type RunRequest = z.output<typeof runRequest>;

/** Why a run failed, as its JSON has it. */
export const runFailure = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});

/** What ended a run early, as a person reads it. */
export type RunFailure = z.output<typeof runFailure>;

/**
 * Where a run begins and ends in its source, the version of the checkpoint that this is based on, and the configuration
 * with which it continues: an earlier attempt to open it may have had another.
 */
export type RunPlace = Partial<Pick<RunOpening, "configHash" | "placesAreLines">> & {
  readonly runId: string;
  readonly checkpointVersion: number;
  readonly from: unknown;
  readonly to?: unknown;
  readonly oldestOpen?: unknown;
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

/** A run as stored; request, failure, positions and warnings are JSON. */
export const runRow = z.object({
  runId: z.string(),
  sync: z.string(),
  target: z.string(),
  kind: z.enum(runKinds),
  workflowId: z.string(),
  firstRunId: z.string(),
  /** Temporal's cluster and namespace, where its workflow is to be looked up. */
  temporalId: z.string(),
  /** Whether its rejects are placed by lines of files, which may be shown where a key may not. */
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
  /**
   * Where the oldest transaction began that was open in the source when the run began; null if there was none, or none
   * is known.
   */
  oldestOpen: jsonColumn,
  /** Rows beyond `toPosition`, because they are stamped in the future. */
  future: z.int(),
  /** Events that its inbox no longer held when it began. */
  gone: z.int(),
  checkpointBefore: z.int(),
  /** The version that this run last wrote or found: its next commit replaces exactly this one. */
  checkpointVersion: z.int(),
  requests: z.int(),
  retries: z.int(),
  waitedMs: z.int(),
  /** Time in which no worker ran. */
  idleMs: z.int(),
  possiblyRepeated: z.int(),
  splits: z.int(),
  /** What a person should know about the run, each once. */
  warnings: jsonColumn.pipe(z.array(z.string())),
  /** What it waits or waited for a person to consent to; null if nothing held it. */
  hold: jsonColumn.pipe(hold.nullable()),
  /** Keys that the whole reading before it brought, and that it has not; null if it has not compared them. */
  vanished: z.int().nullable(),
});

/** One execution of a sync or of a pull. Times are ISO 8601. */
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
  /** The mapping of its rows, which is kept with the sync. */
  readonly mapping?: Pick<KeptMapping, "mapping" | "written"> | undefined;
};

/** Warnings of a run. */
type NewWarnings = {
  readonly runId: string;
  readonly warnings: readonly string[];
  /** What they are about, if only one run of the store is to warn of it. */
  readonly once?: string | undefined;
};

/** Which old runs are removed. */
export type PruneRuns = {
  /** ISO 8601; runs that started before it. */
  readonly before: string;
  /** Only the drains of this sync that ended as `done`, except the newest to each target; oldest first. */
  readonly quietOf?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
};

/** Runs: what was executed, when, and how it ended. */
export interface RunStore {
  /** Stores a run unless it is already there; returns what is stored. */
  openRun(input: RunOpening): Run;
  /**
   * Sets where a run begins and how far it reads. To be called once the send lock is held, because until then
   * another run may move the checkpoint; a run that has staged keeps its place and its configuration.
   * @throws {CheckpointMovedError} the checkpoint is not at `checkpointVersion`, or not where a run that has
   * staged left it.
   */
  setRunRange(input: RunPlace): Run;
  /** Stores the mode chosen for the whole run and why. */
  setMode(input: { readonly runId: string; readonly mode: string; readonly reason: string }): void;
  /** Stores what a run is held for, or that it was approved. */
  setHold(input: { readonly runId: string; readonly hold: Hold }): void;
  addRunFacts(input: RunFacts): void;
  /** Keeps warnings that the run does not have yet, `runWarningsMax` in all. */
  addWarnings(input: NewWarnings): void;
  /** Ends a run, and closes rejects that it overtook; a run that already ended keeps its first outcome. */
  endRun(input: {
    readonly runId: string;
    readonly outcome: Outcome;
    readonly failure?: RunFailure | undefined;
    readonly endedAt: string;
  }): Run;
  run(runId: string): Run | undefined;
  /**
   * Last stored first, whatever their clocks said; only those of one sync or workflow if named, only those of
   * `kinds` if given, only those that have not ended if `isOpen`, only those that ended with one of `outcomes` if
   * given.
   */
  runs(input: {
    readonly sync?: string | undefined;
    readonly workflowId?: string | undefined;
    readonly kinds?: readonly RunKind[] | undefined;
    readonly isOpen?: true | undefined;
    readonly outcomes?: readonly Outcome[] | undefined;
    readonly limit: number;
  }): Run[];
  /**
   * Removes ended runs, with their rejects, receipts and uncommitted stagings. Keeps a run of which something may still
   * be applied, or has to be sent once more. The newest success of a sync or pull stays, because later runs are
   * compared with it, and so does a run whose keys a later one looks for: their rejects are closed, and lose their rows
   * and keys.
   * @returns how many were removed.
   */
  pruneRuns(input: PruneRuns): number;
}
