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

/** Everything a staging needs to know; plain data, because it crosses to a thread. */
export type StageJob = {
  readonly connector: string;
  /** Of `sluice.yaml`, where an external connector is found from. @default the connector is one of this repository */
  readonly folder?: string;
  /** Output of the connector's schema. */
  readonly config: unknown;
  readonly span: { readonly from: unknown; readonly to: unknown };
  /** Of a backfill: the rows of these names, in place of the span. */
  readonly names: readonly string[] | undefined;
  /** Whether the span is one of the run's list of rejects to read again. */
  readonly isReplay: boolean;
  readonly pageRowsMax: number;
  /** Rows that may still be read; undefined is all. */
  readonly limit: number | undefined;
  readonly mapping: Parameters<typeof loadMapping>[0];
  readonly keepRows: KeepRows;
  /** Bytes of a body that a record must fit into alone; undefined lets it travel as a file. */
  readonly recordBytesMax: number | undefined;
  /** Of which sync what the service refused since then (ISO) is not tried again; undefined tries everything. */
  readonly refused?: (SyncName & { readonly since: string }) | undefined;
  /** What is sent once more before anything is read, or, where nothing is read, alone; undefined sends nothing so. */
  readonly doubts?: (DoubtJob & { readonly isAlone: boolean }) | undefined;
  /** Undefined sends every record. */
  readonly changed: ChangedSettings | undefined;
  readonly chunk: ChunkSettings;
  readonly stage: StageName;
  readonly file: string;
  readonly rejects: {
    /** What the run's earlier chunks counted. */
    readonly before: {
      readonly read: number;
      readonly rejected: number;
      readonly stagedBytes: number;
    };
    readonly limit: RejectLimit;
  };
};

/** What the line is run with. */
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
    | "replayPage"
    | "stageKeys"
    | "storeTime"
    | "supersedeRejects"
  >;
  readonly effect: Effect;
  readonly signal: AbortSignal;
  progress(counts: StageCounts): void;
};
