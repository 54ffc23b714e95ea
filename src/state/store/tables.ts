import type { Generated } from "kysely";
import type { z } from "zod";

import type { adoptionRow, keptMapping } from "../contract/keys/adoptions.ts";
import type { placeRow, PullName } from "../contract/pull/pull-places.ts";
import type { PullAmounts } from "../contract/pull/pull-runs.ts";
import type { LimitRow } from "../contract/rate-limit.ts";
import type { rejectRow } from "../contract/rejects/rejects.ts";
import type { changeRow, checkpointRow, SyncName } from "../contract/runs/checkpoints.ts";
import type { beatRow } from "../contract/runs/hosts.ts";
import type { LockHolder } from "../contract/runs/locks.ts";
import type { runRow } from "../contract/runs/runs.ts";
import type { FaultName } from "../contract/sends/faults.ts";
import type { receiptRow } from "../contract/sends/receipts.ts";
import type { Refusal } from "../contract/sends/refusals.ts";
import type { FlagColumn, JsonColumn, TableOf } from "./column-types.ts";

// The columns of both databases, as queries see them: names in camel case, which a plugin writes with
// underscores. Flags are integers, JSON is text, and times are ISO texts or Unix ms, as each name says.

/** Facts of the store itself. */
type MetaTable = { readonly name: string; readonly value: string };

/** Runs; `rowid` grows with each. */
type RunsTable = TableOf<
  typeof runRow,
  | "placesAreLines"
  | "fence"
  | "future"
  | "gone"
  | "requests"
  | "retries"
  | "waitedMs"
  | "idleMs"
  | "possiblyRepeated"
  | "splits"
  | "warnings"
  | "hold"
  | "vanished"
> & { readonly rowid: Generated<number>; readonly request: string };

/** The spans of a run's lanes. */
type LanesTable = {
  readonly runId: string;
  readonly lane: number;
  readonly fromPosition: JsonColumn;
  readonly toPosition: JsonColumn;
};

/** The plans of backfills. */
type PlansTable = { readonly runId: string; readonly plan: string; readonly samples: string };

type CheckpointsTable = SyncName & z.input<typeof checkpointRow> & { readonly updatedAt: string };

/** Checkpoints that a person set. */
type CheckpointAuditTable = SyncName &
  z.input<typeof changeRow> & { readonly id: Generated<number>; readonly position: JsonColumn };

/** Stagings of chunks; `send` grows with each and is never used again. */
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
type ReceiptsTable = TableOf<typeof receiptRow, "attempts"> & {
  readonly ranges: string;
  readonly parent: number | null;
  readonly jsonlSha256: string | null;
  readonly tooLarge: Generated<FlagColumn>;
  readonly host: string;
  readonly updatedAt: string;
  readonly landing: Generated<string>;
  readonly leftAt: number | null;
  readonly uploadedAt: number | null;
  readonly acceptedAt: number | null;
};

type FaultsTable = FaultName & {
  readonly times: number;
  readonly since: number;
  readonly last: number;
};

type RejectsTable = Omit<TableOf<typeof rejectRow, "isOpen" | "superseded">, "row"> & {
  readonly stage: number;
  readonly rowNumber: number | null;
  readonly sourceRow: string | null;
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

type LocksTable = LockHolder & {
  readonly name: string;
  readonly fence: number;
  readonly held: FlagColumn;
  readonly waiting: JsonColumn;
  readonly takenAt: string;
};

type RateLimitsTable = Omit<LimitRow, "reservations"> & { readonly reservations: string };

/** The known accounts and sources. */
type IdentitiesTable = {
  readonly holder: string;
  readonly part: string;
  readonly identity: string;
  readonly shown: string;
  readonly since: string;
};

/** Records that the service refused in chunks that are not committed yet. */
type RefusalsTable = Omit<Refusal, "hash"> & {
  readonly setId: number;
  readonly hash: Uint8Array;
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

/** Keys that abandoned runs may have sent. */
type StrayKeysTable = { readonly setId: number; readonly key: string; readonly runId: string };

/** A row for each sync at a target that sends what has changed. */
type FingerprintSetsTable = {
  readonly id: Generated<number>;
  readonly target: string;
  readonly sync: string;
  readonly validAfter: Generated<number>;
  readonly isRestored: Generated<FlagColumn>;
  readonly nextId: Generated<number>;
};

/** The mappings that made the sent records. */
type MappingsTable = { readonly setId: number; readonly mapping: string };

/** The mappings that runs of a sync were opened with, and the text of the last of them; that of a module is null. */
type KeptMappingsTable = SyncName &
  TableOf<typeof keptMapping, "deployed"> & { readonly opened: Generated<string | null> };

/** Adoptions: a person took records for what the service holds. */
type AdoptionsTable = SyncName &
  TableOf<typeof adoptionRow, "id" | "records"> & { readonly fields: string };

/** The keys that the last whole reading of a set brought: a bit for each id. */
type WholeReadingsTable = {
  readonly setId: number;
  readonly runId: string;
  readonly ids: Uint8Array;
};

/** The ids of keys that a run was the first to miss, and that are gone since. */
type VanishedTable = {
  readonly setId: number;
  readonly runId: string;
  readonly at: string;
  readonly ids: Uint8Array;
};

/** The working processes, and when each last beat. */
type HostsTable = TableOf<typeof beatRow, "name" | "command" | "configs" | "folder">;

/** The host of each lane of a run. A run that is not a backfill has one lane. */
type RunHostsTable = { readonly runId: string; readonly lane: number; readonly hostId: string };

/** The places of pulls. */
type PullsTable = PullName & z.input<typeof placeRow>;

type PullPagesTable = PullName & { readonly page: string };

type PullDomainsTable = PullName & { readonly ordinal: number; readonly domain: string };

type PullKeysTable = PullName & { readonly key: Uint8Array };

type PullRunsTable = { readonly runId: string; readonly isContinued: FlagColumn } & {
  readonly [
    Column in Exclude<keyof PullAmounts, "possiblyPaidTwice"> | "domains" | "paidTwice"
  ]: Generated<number>;
};

/** Every table that is the same in both databases. */
export type Tables = {
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
  readonly hosts: HostsTable;
  readonly runHosts: RunHostsTable;
  readonly pulls: PullsTable;
  readonly pullPages: PullPagesTable;
  readonly pullDomains: PullDomainsTable;
  readonly pullKeys: PullKeysTable;
  readonly pullRuns: PullRunsTable;
};
