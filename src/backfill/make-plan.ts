import type { SyncConfig } from "../config/config.ts";
import { pageRowsMax } from "../limits.ts";
import { namedRows } from "../pipeline/named-rows.ts";
import { rejectsDuplicates } from "../pipeline/rejects-duplicates.ts";
import { withoutRow } from "../pipeline/what-changed.ts";
import type { LaneSpan } from "../state/contract/runs/backfills.ts";
import type { StoredPlan } from "../state/contract/runs/backfills.ts";
import type { StateClient } from "../state/state-store.ts";
import { grouped } from "../text/quantities.ts";
import { estimate, estimateTime } from "./estimate.ts";
import type { BackfillRequest } from "./input/schema.ts";
import { planMovedRowsMax, planMovedShareMax, sampleRowsMax } from "./limits.ts";
import type { BackfillPlan } from "./plan.ts";
import { sampleSpan, type Sampled } from "./sample.ts";
import { planningRequest, type SourceToPlan, type PlannedSpan } from "./source.ts";
import { asJson, lanesOf, rowsOfLanes, spanOf, type Amount, type SpanInput } from "./span.ts";

type PlanInput = {
  readonly sync: SyncConfig;
  readonly source: SourceToPlan;
  readonly request: BackfillRequest;
  /** Only read. */
  readonly state: Pick<StateClient, "knownRecords" | "runs" | "tally">;
  readonly target: string;
  readonly signal: AbortSignal;
} & Pick<SpanInput, "now" | "present">;

/** A plan, the spans of its lanes in order, sample records as JSON, and the warnings of its run. */
type MadePlan = StoredPlan & {
  readonly spans: readonly LaneSpan[];
  readonly warnings: readonly string[];
};

function futureWarnings(future = 0): readonly string[] {
  if (future === 0) return [];
  const rows = future === 1 ? "1 row is" : `${grouped(future)} rows are`;
  return [
    `${rows} stamped later than now, and not read by this backfill: a later run reads what comes to be past, ` +
      'and `"keys"` names rows to send them now',
  ];
}

/** `all` if the sync keeps nothing to compare with. */
function sendOf({ sync, request }: PlanInput): "all" | "changed" {
  return sync.send === "all" ? "all" : request.send;
}

async function takeSample(
  input: PlanInput,
  span: PlannedSpan,
  keys: readonly string[] | undefined,
): Promise<Sampled> {
  const { source, sync, request, state, target, now, signal } = input;
  const rowsMax = Math.min(sampleRowsMax, request.limit ?? sampleRowsMax);
  const sourceRequest = planningRequest(sync.connectorConfig, signal);
  const pages =
    keys === undefined
      ? source.read({
          ...sourceRequest,
          ...span,
          pageRowsMax: Math.min(pageRowsMax, rowsMax),
          limit: rowsMax,
        })
      : namedRows(source, { ...sourceRequest, names: keys.slice(0, rowsMax) });
  return await sampleSpan({
    pages,
    rowsMax,
    sync,
    mode: request.mode ?? sync.mode,
    send: sendOf(input),
    rejectsDuplicates: sync.send !== "all" && rejectsDuplicates(source, sync),
    knownRecords: async (names) => {
      const known = await state.knownRecords({ target, sync: sync.name, keys: names });
      return sync.send === "all" ? known.map(withoutRow) : known;
    },
    now,
    signal,
  });
}

/** The rows in a number of bytes of a source that does not count rows, if they are as long as the sample's. */
async function rowsInBytes(
  { source, sync, signal }: PlanInput,
  { from, bytes = 0 }: { readonly from: unknown; readonly bytes: number | undefined },
  { sample, position }: Sampled,
): Promise<number | null> {
  if (bytes === 0 || position === undefined || sample.rows === 0) return null;
  const sourceRequest = planningRequest(sync.connectorConfig, signal);
  const part = await source.measure?.({ ...sourceRequest, from, to: position });
  // In a compressed file nobody knows how far the sample reaches.
  if (part?.bytes === undefined || part.bytes === 0 || !part.exact) return null;
  return Math.round((bytes * sample.rows) / part.bytes);
}

/**
 * How many rows a span holds: as counted by the source, or the sample if it is the whole span, or otherwise the best
 * estimate.
 */
async function measureSpan(input: PlanInput, span: PlannedSpan, sampled: Sampled): Promise<Amount> {
  const { source, sync, signal } = input;
  const measured = await source.measure?.({
    ...planningRequest(sync.connectorConfig, signal),
    ...span,
  });
  const { rows, bytes, exact = false } = measured ?? {};
  if (rows !== undefined && exact) return { rows, isCounted: true, bytes };
  if (sampled.isWhole) return { rows: sampled.sample.rows, isCounted: true, bytes };
  const { from } = span;
  return {
    rows: rows ?? (await rowsInBytes(input, { from, bytes }, sampled)),
    isCounted: false,
    bytes,
  };
}

function withinLimit(amount: Amount, limit: number | undefined, sampled: Sampled): Amount {
  if (limit === undefined || (amount.rows !== null && amount.rows <= limit)) return amount;
  const isCounted = amount.isCounted || sampled.sample.rows >= limit;
  return { rows: limit, isCounted, bytes: undefined };
}

/**
 * Plans a backfill: where it begins and ends, how many rows that is, in how many lanes, and what its first rows
 * look like. It only reads.
 * @throws {ConfigError} the source cannot do what was requested; the hint says what it can.
 */
export async function makePlan(input: PlanInput): Promise<MadePlan> {
  const { sync, request, state, target, now, present = now } = input;
  const keys = request.keys === undefined ? undefined : [...new Set(request.keys)];
  const { future, ...whole } =
    keys === undefined ? await spanOf(input) : { from: undefined, to: undefined, future: 0 };
  const sampled = await takeSample(input, whole, keys);
  const amount: Amount =
    keys === undefined
      ? await measureSpan(input, whole, sampled)
      : { rows: keys.length, isCounted: true, bytes: undefined };
  const { rows, isCounted, bytes } = withinLimit(amount, request.limit, sampled);
  const spans = await lanesOf(input, whole, rows);
  const lanes = await rowsOfLanes(input, spans, { rows, isCounted, bytes });
  const mode = request.mode ?? sync.mode;
  const estimateInput = { sync, mode, sampled, lanes, rows };
  const plan: BackfillPlan = {
    sync: sync.name,
    from: request.from?.text ?? null,
    to: request.to?.text ?? null,
    keys: keys?.length ?? null,
    time_zone: request.timeZone,
    rows,
    is_counted: isCounted,
    limit: request.limit ?? null,
    lanes,
    send: sendOf(input),
    sample: sampled.sample,
    ...estimate(estimateInput),
    ...(await estimateTime(state, target, estimateInput)),
    config_hash: sync.configHash,
    planned_at: present.toISOString(),
    as_of: now.toISOString(),
  };
  const ends = spans.map(({ from, to }) => ({ from: asJson(from), to: asJson(to) }));
  return { plan, spans: ends, samples: sampled.samples, warnings: futureWarnings(future) };
}

function rowsText(rows: number | null): string {
  return rows === null ? "an unknown number of rows" : `${rows} row${rows === 1 ? "" : "s"}`;
}

/** Compares a plan with the same plan made anew: a sentence on what moved too far, or undefined if it still holds. */
export function planMoved(before: BackfillPlan, now: BackfillPlan): string | undefined {
  if (before.config_hash !== now.config_hash) {
    return `the configuration of sync ${before.sync} changed since the plan was made`;
  }
  const [had, has] = [before.rows, now.rows];
  const moved = `the source moved since the plan was made: it held ${rowsText(had)}, now it holds ${rowsText(has)}`;
  if (had === null || has === null) return had === has ? undefined : moved;
  if (had > 0 && has === 0) return moved;
  const retryBudget = Math.max(planMovedRowsMax, had * planMovedShareMax);
  return Math.abs(has - had) > retryBudget ? moved : undefined;
}
