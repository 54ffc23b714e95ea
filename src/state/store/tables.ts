import type { Generated } from "kysely";

import type { FlagColumn, JsonColumn } from "./column-types.ts";
import type { PullTables } from "./pull/pull-tables.ts";
import type { HostTables } from "./runs/host-tables.ts";

// The columns of both databases, as queries see them: names in camel case, which a plugin writes with
// underscores. Flags are integers, JSON is text, and times are ISO texts or Unix ms, as each name says.

/** Facts of the store itself. */
type MetaTable = { readonly name: string; readonly value: string };

/** Runs; `rowid` grows with each. */
type RunsTable = {
  readonly rowid: Generated<number>;
  readonly runId: string;
  readonly sync: string;
  readonly target: string;
  readonly kind: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly temporalId: string;
  readonly placesAreLines: Generated<FlagColumn>;
  readonly fence: Generated<number>;
  readonly configHash: string;
  readonly request: string;
  readonly mode: string | null;
  readonly modeReason: string | null;
  readonly nominalAt: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly outcome: string | null;
  readonly failure: JsonColumn;
  readonly fromPosition: JsonColumn;
  readonly toPosition: JsonColumn;
  readonly oldestOpen: JsonColumn;
  readonly future: Generated<number>;
  readonly gone: Generated<number>;
  readonly checkpointBefore: number;
  readonly checkpointVersion: number;
  readonly requests: Generated<number>;
  readonly retries: Generated<number>;
  readonly waitedMs: Generated<number>;
  readonly idleMs: Generated<number>;
  readonly possiblyRepeated: Generated<number>;
  readonly splits: Generated<number>;
  readonly warnings: Generated<string>;
  readonly hold: Generated<JsonColumn>;
  readonly vanished: Generated<number | null>;
};

/** The spans of a run's lanes. */
type LanesTable = {
  readonly runId: string;
  readonly lane: number;
  readonly fromPosition: JsonColumn;
  readonly toPosition: JsonColumn;
};

/** The plans of backfills. */
type PlansTable = { readonly runId: string; readonly plan: string; readonly samples: string };

type CheckpointsTable = {
  readonly target: string;
  readonly sync: string;
  readonly version: number;
  readonly position: JsonColumn;
  readonly oldestOpen: JsonColumn;
  readonly runId: string | null;
  readonly updatedAt: string;
};

/** Checkpoints that a person set. */
type CheckpointAuditTable = {
  readonly id: Generated<number>;
  readonly target: string;
  readonly sync: string;
  readonly version: number;
  readonly position: JsonColumn;
  readonly reason: string;
  readonly changedAt: string;
};

/** Stagings of chunks; `send` grows with each and is never given again. */
type StagingsTable = {
  readonly send: Generated<number>;
  readonly runId: string;
  readonly chunk: number;
  readonly stage: number;
  readonly host: string;
  readonly drawnScheduled: number;
  readonly drawnAttempt: number;
  readonly state: string;
  readonly fromPosition: JsonColumn;
  readonly toPosition: JsonColumn;
  readonly done: Generated<FlagColumn>;
  readonly rowsRead: Generated<number>;
  readonly records: Generated<number>;
  readonly unchanged: Generated<number>;
  readonly filtered: Generated<number>;
  readonly rejected: Generated<number>;
  readonly splitRejected: Generated<number>;
  readonly jsonBytes: Generated<number>;
  readonly gzipBytes: Generated<number>;
  readonly jsonlSha256: string | null;
  readonly gzipSha256: string | null;
  readonly bodies: JsonColumn;
  readonly committedAt: number | null;
  readonly mapping: string | null;
  readonly changes: JsonColumn;
  readonly openRejects: Generated<number>;
};

/** The parts of stagings that leave. */
type ReceiptsTable = {
  readonly runId: string;
  readonly chunk: number;
  readonly stage: number;
  readonly part: number;
  readonly parent: number | null;
  readonly form: string;
  readonly state: string;
  readonly ranges: string;
  readonly records: number;
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly jsonlSha256: string | null;
  readonly gzipSha256: string | null;
  readonly fileKey: string | null;
  readonly tooLarge: Generated<FlagColumn>;
  readonly attempts: Generated<number>;
  readonly host: string;
  readonly updatedAt: string;
  readonly landing: Generated<string>;
  readonly leftAt: number | null;
  readonly uploadedAt: number | null;
  readonly acceptedAt: number | null;
};

type FaultsTable = {
  readonly runId: string;
  readonly chunk: number;
  readonly fault: string;
  readonly times: number;
  readonly since: number;
  readonly last: number;
};

type RejectsTable = {
  readonly runId: string;
  readonly chunk: number;
  readonly ordinal: number;
  readonly stage: number;
  readonly stream: string;
  readonly place: string;
  readonly rowNumber: number | null;
  readonly key: string | null;
  readonly step: string;
  readonly code: string;
  readonly field: string | null;
  readonly reason: string;
  readonly sourceRow: string | null;
  readonly createdAt: string;
  readonly replayedBy: string | null;
  readonly superseded: Generated<FlagColumn>;
  readonly isOpen: Generated<FlagColumn>;
};

/** The rejects that a replay reads again, in its order. */
type ReplaysTable = {
  readonly runId: string;
  readonly number: number;
  readonly rejectRun: string;
  readonly chunk: number;
  readonly ordinal: number;
  readonly place: string;
  readonly spanSend: number;
  readonly age: number;
};

type LocksTable = {
  readonly name: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly runId: string;
  readonly kind: string;
  readonly fence: number;
  readonly held: FlagColumn;
  readonly waiting: JsonColumn;
  readonly takenAt: string;
};

type RateLimitsTable = {
  readonly name: string;
  readonly bootId: string | null;
  readonly writtenAt: number;
  readonly writtenAtWall: number;
  readonly nextPermit: number;
  readonly nextLowPermit: number;
  readonly reservations: string;
  readonly blockedUntil: number;
  readonly why: string | null;
  readonly failures: number;
  readonly nextProbe: number;
  readonly throttled: number;
  readonly throttledSince: number;
  readonly throttledAt: number;
};

/** Which account and which source is known. */
type IdentitiesTable = {
  readonly holder: string;
  readonly part: string;
  readonly identity: string;
  readonly shown: string;
  readonly since: string;
};

/** What the service refused in chunks that are not committed yet. */
type RefusalsTable = {
  readonly setId: number;
  readonly key: string;
  readonly hash: Uint8Array;
  readonly code: string;
  readonly field: string | null;
  readonly notedAt: string;
};

/** Keys of stagings, in order, as a JSON array. */
type SentKeysTable = { readonly send: number; readonly keys: string };

/** Requests that may still be applied. */
type RequestsTable = {
  readonly request: Generated<number>;
  readonly setId: number;
  readonly stream: string;
  readonly send: number;
  readonly part: number;
  readonly attempt: number;
  readonly process: string;
  readonly isOpen: Generated<FlagColumn>;
  readonly isMade: Generated<FlagColumn>;
  readonly bootId: string | null;
  readonly since: number;
  readonly sinceWall: number;
  readonly deadlineMs: number;
  readonly restMs: number;
  readonly lastsMs: number;
};

/** Keys whose record left again while an older request might still be applied. */
type DoubtsTable = {
  readonly setId: number;
  readonly key: string;
  readonly request: number;
  readonly send: number | null;
  readonly record: number | null;
  readonly nextSend: number | null;
  readonly nextRecord: number | null;
  readonly isLost: Generated<FlagColumn>;
};

/** Keys that runs which were given up may have sent. */
type StrayKeysTable = { readonly setId: number; readonly key: string; readonly runId: string };

/** One for each sync at a target that sends what has changed. */
type FingerprintSetsTable = {
  readonly id: Generated<number>;
  readonly target: string;
  readonly sync: string;
  readonly validAfter: Generated<number>;
  readonly isRestored: Generated<FlagColumn>;
  readonly nextId: Generated<number>;
};

/** The mappings that made what was sent. */
type MappingsTable = { readonly setId: number; readonly mapping: string };

/** The mappings that runs of a sync were opened with; the text is null of a module. */
type KeptMappingsTable = {
  readonly target: string;
  readonly sync: string;
  readonly mapping: string;
  readonly written: string | null;
  readonly deployed: Generated<number>;
};

/** Interventions that took records for what the service holds. */
type AdoptionsTable = {
  readonly id: Generated<number>;
  readonly target: string;
  readonly sync: string;
  readonly fields: string;
  readonly reason: string;
  readonly records: Generated<number>;
  readonly adoptedAt: string;
  readonly undoneAt: string | null;
};

/** The keys that the last whole reading of a set brought: a bit for each id. */
type WholeReadingsTable = {
  readonly setId: number;
  readonly runId: string;
  readonly ids: Uint8Array;
};

/** The ids of keys that a run was the first not to find, and that are gone since. */
type VanishedTable = {
  readonly setId: number;
  readonly runId: string;
  readonly at: string;
  readonly ids: Uint8Array;
};

/** Every table that is the same in both databases. */
export type Tables = HostTables &
  PullTables & {
    readonly meta: MetaTable;
    readonly runs: RunsTable;
    readonly lanes: LanesTable;
    readonly plans: PlansTable;
    readonly checkpoints: CheckpointsTable;
    readonly checkpointAudit: CheckpointAuditTable;
    readonly stagings: StagingsTable;
    readonly receipts: ReceiptsTable;
    readonly faults: FaultsTable;
    readonly rejects: RejectsTable;
    readonly replays: ReplaysTable;
    readonly locks: LocksTable;
    readonly rateLimits: RateLimitsTable;
    readonly identities: IdentitiesTable;
    readonly refusals: RefusalsTable;
    readonly sentKeys: SentKeysTable;
    readonly requests: RequestsTable;
    readonly doubts: DoubtsTable;
    readonly strayKeys: StrayKeysTable;
    readonly fingerprintSets: FingerprintSetsTable;
    readonly mappings: MappingsTable;
    readonly keptMappings: KeptMappingsTable;
    readonly adoptions: AdoptionsTable;
    readonly wholeReadings: WholeReadingsTable;
    readonly vanished: VanishedTable;
  };
