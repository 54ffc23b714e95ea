import { isDeepStrictEqual } from "node:util";

import type { SyncConfig } from "../config/config.ts";
import { ConfigError } from "../errors.ts";
import type { BackfillRequest } from "./input/schema.ts";
import { laneRowsMin } from "./limits.ts";
import { repeatsOf } from "./repeats.ts";
import { planningRequest, type SourceToPlan, type PlannedSpan } from "./source.ts";

/** What is needed to make the spans of a backfill. */
export type SpanInput = {
  readonly sync: Pick<
    SyncConfig,
    "connection" | "connectorConfig" | "duplicateKeys" | "record" | "send" | "stream"
  >;
  readonly source: SourceToPlan;
  readonly request: BackfillRequest;
  /** When the plan was first made; the input is read as of this time. */
  readonly now: Date;
  /** When the plan is made again: an end may have passed meanwhile. */
  readonly present?: Date;
  readonly signal: AbortSignal;
};

/** Rows of a span; null if the source cannot say. */
export type Amount = {
  readonly rows: number | null;
  readonly isCounted: boolean;
  /** Bytes of the source, if it reports them. */
  readonly bytes: number | undefined;
};

/** A position as the store keeps it; null means the source's beginning or end. */
export function asJson(position: unknown): unknown {
  return JSON.parse(JSON.stringify(position ?? null));
}

function cannotFind(
  { sync, source }: SpanInput,
  end: "from" | "to",
  { what, other }: { readonly what: string; readonly other: string | undefined },
): ConfigError {
  const whole = end === "from" ? "it then begins with the first row" : "it then goes to the end";
  const instead = other === undefined ? "" : `, or name ${other}`;
  return new ConfigError(`connection ${sync.connection} cannot find ${what} in its source`, {
    field: end,
    hint:
      `leave out "${end}": ` +
      `${whole}${instead}${source.get === undefined ? "" : '; single rows are named in "keys"'}`,
  });
}

async function positionOf(input: SpanInput, end: "from" | "to"): Promise<unknown> {
  const { source, sync, request, signal } = input;
  const asked = request[end];
  if (asked === undefined) return undefined;
  if ("time" in asked) {
    if (source.at !== undefined) {
      return source.at({ config: sync.connectorConfig, when: asked.time });
    }
    const other = source.before === undefined ? undefined : 'a place, such as "line 48211"';
    throw cannotFind(input, end, { what: "a time", other });
  }
  if (source.before !== undefined) {
    const sourceRequest = planningRequest(sync.connectorConfig, signal);
    return await source.before({ ...sourceRequest, place: asked.place });
  }
  const other = source.at === undefined ? undefined : 'a time, such as "2026-10-23"';
  throw cannotFind(input, end, { what: "a place", other });
}

/**
 * @throws {ConfigError} an open transaction may still commit rows before the end: neither this backfill nor the nightly
 * run would read them.
 */
export function assertNothingIsOpen(
  readLimit: { readonly oldestOpen?: unknown } | undefined,
): void {
  if (readLimit?.oldestOpen === undefined) return;
  throw new ConfigError("a transaction is open in the source, whose rows might be passed over", {
    field: "advance_checkpoint",
    hint: "leave it out, or try again when the transaction is over",
  });
}

/**
 * The positions of the requested ends. A span without an end, or with one in the future, ends at the
 * source's present: a row that changes later comes with the next run, and no lane can meet it twice. `future` counts
 * the rows that are stamped later than that, if the source reports it.
 * @throws {ConfigError} the source has no such positions, or the checkpoint is to move over an open transaction, which
 * may have begun since an earlier look.
 */
export async function spanOf(
  input: SpanInput,
): Promise<PlannedSpan & { readonly future?: number | undefined }> {
  const from = await positionOf(input, "from");
  const { source, sync, request, now, present: presentTime = now, signal } = input;
  const { to } = request;
  const isOpen = to === undefined || ("time" in to && to.time > presentTime);
  const sourceRequest = planningRequest(sync.connectorConfig, signal);
  // A source that has `readLimit` but returns none is read to its end: a time says nothing about its rows.
  const own = source.readLimit === undefined ? timeNow(input) : undefined;
  const readLimit = isOpen ? await source.readLimit?.(sourceRequest) : undefined;
  if (request.advanceCheckpoint) assertNothingIsOpen(readLimit);
  const present = isOpen ? (readLimit?.to ?? own) : undefined;
  return { from, to: present ?? (await positionOf(input, "to")), future: readLimit?.future };
}

/** The present of a source that is read continuously and has times but no clock of its own; undefined for any other. */
function timeNow({ source, sync, now }: SpanInput): unknown {
  if (source.restart?.(sync.connectorConfig) === "each-run") return undefined;
  try {
    return source.at?.({ config: sync.connectorConfig, when: now });
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Whether a key may come twice, in two lanes: then the later row would not be sure to win. */
async function mayOvertake(
  { sync, source, signal }: SpanInput,
  { to }: PlannedSpan,
): Promise<boolean> {
  if (source.restart?.(sync.connectorConfig) !== "each-run") {
    return to === undefined || (await repeatsOf(sync, source, signal)) !== "once";
  }
  return sync.send === "all" || sync.duplicateKeys === "send";
}

/** Whether lanes cover a span without gaps: a row between two would be lost, one in both would be read twice. */
function isCut(lanes: readonly PlannedSpan[], { from, to }: PlannedSpan): boolean {
  return lanes.every((lane, index) => {
    const before = index === 0 ? from : lanes[index - 1]?.to;
    const isLast = index === lanes.length - 1;
    if (!isDeepStrictEqual(asJson(lane.from), asJson(before))) return false;
    return isLast ? isDeepStrictEqual(asJson(lane.to), asJson(to)) : lane.to !== undefined;
  });
}

/** Cuts a span into as many lanes as requested and worthwhile. @throws {ConfigError} the source cuts it wrongly. */
export async function lanesOf(
  input: SpanInput,
  span: PlannedSpan,
  rows: number | null,
): Promise<readonly PlannedSpan[]> {
  const { sync, source, request, signal } = input;
  const { keys, limit, lanes } = request;
  const parts = rows === null ? lanes : Math.min(lanes, Math.floor(rows / laneRowsMin));
  const isOne = keys !== undefined || limit !== undefined || parts < 2;
  if (isOne || source.split === undefined || (await mayOvertake(input, span))) return [span];
  const sourceRequest = planningRequest(sync.connectorConfig, signal);
  const cut = (await source.split({ ...sourceRequest, ...span, parts })).map(({ from, to }) => ({
    from,
    to,
  }));
  if (cut.length === 0) return [span];
  if (cut.length <= parts && isCut(cut, span)) return cut;
  throw new ConfigError(
    `connection ${sync.connection} cut the span into ${cut.length} lanes that do not cover it row for row`,
    { field: "lanes", hint: 'ask for "lanes": 1, and fix `split` of the connector' },
  );
}

/** The rows of each lane: measured if they or their bytes can be, otherwise shares of the whole. */
export async function rowsOfLanes(
  { sync, source, signal }: SpanInput,
  lanes: readonly PlannedSpan[],
  { rows, isCounted, bytes = 0 }: Amount,
): Promise<readonly (number | null)[]> {
  if (rows === null || lanes.length === 1) return lanes.map(() => rows);
  const each: number[] = [];
  for (const lane of lanes) {
    const sourceRequest = planningRequest(sync.connectorConfig, signal);
    const measured =
      isCounted || bytes > 0 ? await source.measure?.({ ...sourceRequest, ...lane }) : undefined;
    const share =
      measured?.bytes === undefined || bytes === 0 ? 1 / lanes.length : measured.bytes / bytes;
    each.push(measured?.rows ?? Math.round(rows * share));
  }
  return each;
}
