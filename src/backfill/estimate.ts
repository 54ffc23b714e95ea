import type { SyncConfig } from "../config/config.ts";
import { chunkRowsReadMax, lightweightBodyBytesMax } from "../limits.ts";
import type { StateClient } from "../state/state-store.ts";
import { rateRunsMax, sampleRowsMax } from "./limits.ts";
import type { BackfillPlan } from "./plan.ts";
import type { Sampled } from "./sample.ts";

/** Requests of a heavyweight chunk: the upload address, the PUT, the confirm. */
export const requestsPerChunk = 3;

/** The basis of the estimates. */
export type EstimateInput = {
  readonly sync: SyncConfig;
  /** As requested: `auto` is decided by the first chunk. */
  readonly mode: SyncConfig["mode"];
  readonly sampled: Sampled;
  /** Rows of each lane. */
  readonly lanes: readonly (number | null)[];
  readonly rows: number | null;
};

type Sizes = Pick<BackfillPlan, "chunks" | "gzip_bytes" | "json_bytes" | "records">;

/** Sizes of `rows` rows, if they are like those of the sample. */
function sizesOf(
  sampled: Sampled,
  rows: number,
): { readonly records: number; readonly json: number; readonly gzip: number } {
  const { sample, records: passed, sent } = sampled;
  const records = sample.rows === 0 ? 0 : (rows * sent) / sample.rows;
  const perRecord = (bytes: number): number => (passed === 0 ? 0 : bytes / passed);
  return {
    records,
    json: records * perRecord(sample.json_bytes),
    gzip: records * perRecord(sample.gzip_bytes),
  };
}

/** Chunks of a lane: a new one begins at the first limit that is reached; even an empty lane has one. */
function chunksOf({ chunk }: SyncConfig, sampled: Sampled, rows: number): number {
  const { records, gzip } = sizesOf(sampled, rows);
  const shares = [records / chunk.records, gzip / chunk.bytes, rows / chunkRowsReadMax];
  return Math.max(1, ...shares.map(Math.ceil));
}

function isKnown(rows: readonly (number | null)[]): rows is readonly number[] {
  return rows.every((count) => count !== null);
}

function estimateSizes({ sync, sampled, lanes, rows }: EstimateInput): Sizes {
  if (rows === null || !isKnown(lanes)) {
    return { records: null, json_bytes: null, gzip_bytes: null, chunks: null };
  }
  const { records, json, gzip } = sizesOf(sampled, rows);
  return {
    records: Math.round(records),
    json_bytes: Math.round(json),
    gzip_bytes: Math.round(gzip),
    chunks: lanes.reduce((sum, count) => sum + chunksOf(sync, sampled, count), 0),
  };
}

/** Lightweight bodies that the records need; each chunk of a lane begins a new one. */
function bodiesOf({ json_bytes: bytes, chunks }: Sizes): number {
  return Math.max(Math.ceil((bytes ?? 0) / lightweightBodyBytesMax), chunks ?? 0);
}

type PlannedMode = Pick<BackfillPlan, "mode" | "mode_reason">;

function likely(mode: string, why: string): PlannedMode {
  return { mode, mode_reason: `decided by the first chunk; likely ${mode}: ${why}` };
}

/** The mode that `chooseMode` of the workflows will probably choose for each lane once its first chunk is staged. */
function likelyMode({ sync, mode, lanes }: EstimateInput, sizes: Sizes): PlannedMode {
  if (mode !== "auto") return { mode, mode_reason: `${mode} was asked for` };
  const { records, chunks } = sizes;
  if (records === null || chunks === null) {
    return likely("heavyweight", "it is larger than the sample, by how much is not known");
  }
  if (records === 0) return likely("lightweight", "there is nothing to send");
  const [of, each] = lanes.length === 1 ? ["it", ""] : ["a lane", " a lane"];
  if (chunks > lanes.length) return likely("heavyweight", `${of} is larger than one chunk`);
  const bodies = Math.ceil(bodiesOf(sizes) / lanes.length);
  const partsMax = sync.lightweightPartsMax;
  const needed = `about ${bodies} bod${bodies === 1 ? "y" : "ies"} of 1 MB${each}`;
  return bodies <= partsMax
    ? likely("lightweight", `${needed}, ${partsMax} allowed`)
    : likely("heavyweight", `${needed}, more than the ${partsMax} allowed`);
}

/** The totals of the span, if all its rows are like the sample. */
export function estimate(
  input: EstimateInput,
): Sizes & PlannedMode & Pick<BackfillPlan, "requests"> {
  const sizes = estimateSizes(input);
  const chosen = likelyMode(input, sizes);
  const { records, chunks } = sizes;
  if (records === null || chunks === null) return { ...sizes, ...chosen, requests: null };
  const requests = chosen.mode === "lightweight" ? bodiesOf(sizes) : chunks * requestsPerChunk;
  return { ...sizes, ...chosen, requests: records === 0 ? 0 : requests };
}

type Rate = { readonly rowsPerMs: number; readonly from: string };

/**
 * The rate of the sync's last run that succeeded and read enough, while a worker ran. Backfills and runs that were held
 * do not count: their time includes the wait for a person.
 */
async function lastRate(
  state: Pick<StateClient, "runs" | "tally">,
  { sync, target }: { readonly sync: string; readonly target: string },
): Promise<Rate | undefined> {
  for (const run of await state.runs({ sync, limit: rateRunsMax })) {
    const { endedAt, startedAt, runId, idleMs } = run;
    const isDone = run.outcome === "done" || run.outcome === "done_with_rejects";
    const isLike = run.kind === "sync" && run.target === target && run.hold === null;
    if (!isDone || !isLike || endedAt === null) continue;
    const { read } = await state.tally({ runId, staged: false });
    const ms = Math.max(1, Date.parse(endedAt) - Date.parse(startedAt) - idleMs);
    if (read < sampleRowsMax) continue;
    return {
      rowsPerMs: read / ms,
      from: `run ${runId}: ${read} rows in ${Math.ceil(ms / 1_000)} s`,
    };
  }
  return undefined;
}

/** How long it may take, by the last run's rate for each lane, or by the sample's rate. */
export async function estimateTime(
  state: Pick<StateClient, "runs" | "tally">,
  target: string,
  { sync, sampled: { sample }, lanes, rows }: EstimateInput,
): Promise<Pick<BackfillPlan, "seconds" | "seconds_from">> {
  const measured = await lastRate(state, { sync: sync.name, target });
  const rate = measured ?? {
    rowsPerMs: sample.rows / Math.max(1, sample.ms),
    from: `the sample of ${sample.rows} rows, without the time to send them`,
  };
  const seconds =
    rows === null || rate.rowsPerMs === 0
      ? null
      : Math.ceil(rows / (rate.rowsPerMs * 1_000 * lanes.length));
  return { seconds, seconds_from: rate.from };
}
