import type { Source } from "../../connectors/contract/connector.ts";
import type { Effect } from "../../src/effect.ts";
import type { loadMapping } from "../../src/mapping/load.ts";
import type { ChangedSettings } from "../../src/pipeline/changed.ts";
import type { ChunkSettings } from "../../src/pipeline/chunk.ts";
import type { KeepRows, RejectLimit } from "../../src/pipeline/rejects.ts";
import type { SyncName } from "../../src/state/contract/runs/checkpoints.ts";
import type { StageCounts, StageName } from "../../src/state/contract/sends/stagings.ts";
import type { StateClient } from "../../src/state/state-store.ts";
import type { DoubtJob } from "./doubtful-pages.ts";

/** Everything a staging needs; plain data, because it crosses to a thread. */
export type StageJob = {
  readonly connector: string;
  /** Folder of `sluice.yaml`, to find an external connector from. @default the connector is one of this repository */
  readonly folder?: string;
  /** Output of the connector's schema. */
  readonly config: unknown;
  readonly span: { readonly from: unknown; readonly to: unknown };
  /** For a backfill: reads the rows of these names instead of the span. */
  readonly names: readonly string[] | undefined;
  /** Whether the span is part of the run's list of rejects to read again. */
  readonly isReplay: boolean;
  /** Whether the newest of several files is read first: its rejects count more than older rows. @default false */
  readonly newestFirst?: boolean | undefined;
  readonly pageRowsMax: number;
  /** Rows that may still be read; undefined for all. */
  readonly limit: number | undefined;
  readonly mapping: Parameters<typeof loadMapping>[0];
  readonly keepRows: KeepRows;
  /** Bytes of a body that a single record must fit into; undefined lets it travel as a file. */
  readonly recordBytesMax: number | undefined;
  /** The sync whose records are not retried if the service refused them since `since` (ISO); undefined tries all. */
  readonly refused?: (SyncName & { readonly since: string }) | undefined;
  /** Records in doubt, sent before anything is read, or alone where nothing is read; undefined sends none. */
  readonly doubts?: (DoubtJob & { readonly isAlone: boolean }) | undefined;
  /** Undefined sends every record. */
  readonly changed: ChangedSettings | undefined;
  readonly chunk: ChunkSettings;
  readonly stage: StageName;
  readonly file: string;
  readonly rejects: {
    /** Counts of the run's earlier chunks. */
    readonly before: {
      readonly read: number;
      readonly rejected: number;
      readonly stagedBytes: number;
    };
    readonly limit: RejectLimit;
  };
};

/** The dependencies of the line. */
export type StageTools = {
  readonly source: Source;
  readonly state: Pick<
    StateClient,
    | "addRejects"
    | "doubtfulRecords"
    | "fieldSlots"
    | "keepFields"
    | "loseLines"
    | "noteStage"
    | "refusals"
    | "rejectedKeys"
    | "replayPage"
    | "stageKeys"
    | "storeTime"
    | "supersedeRejects"
  >;
  readonly effect: Effect;
  readonly signal: AbortSignal;
  progress(counts: StageCounts): void;
};
