import { setTimeout as delay } from "node:timers/promises";

import type { Source } from "../../../connectors/contract/connector.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { pullsInto } from "../../config/feedback-loop.ts";
import { RetryLater, SluiceError } from "../../errors.ts";
import { lineOf, recordOf, rowCount, type RecordPage } from "../../pipeline/page.ts";
import { rejectsDuplicates } from "../../pipeline/rejects-duplicates.ts";
import { changeOf, type Change } from "../../pipeline/what-changed.ts";
import type { StreamRecord } from "../../records/streams.ts";
import { isLine } from "../../report/report.ts";
import type { KnownRecord } from "../../state/contract/keys/known-records.ts";
import type { Gone } from "../../state/contract/keys/vanished.ts";
import type { RejectEntry, StoredReject } from "../../state/contract/rejects/rejects.ts";
import type { RunFigures } from "../../state/contract/runs/figures.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { Receipt } from "../../state/contract/sends/receipts.ts";
import type { Staging } from "../../state/contract/sends/stagings.ts";
import type { StateStore } from "../../state/state-store.ts";
import { knownOf, mappedRows, wasSecond, withStateThere, wouldBeSent } from "./mapped-rows.ts";

/** How many rows of one name are shown. */
const rowsMax = 10;

/** How many of the newest rejects of a key are shown. */
const rejectsMax = 20;

/** What the mapping makes of a row: a record, a reject, or nothing, because a filter leaves the row out. */
export type ExplainedRow = { readonly place: string } & (
  | {
      readonly is: "record";
      readonly key: string;
      readonly record: StreamRecord;
      readonly change: Change;
      /** Whether a run that reads it sends it. */
      readonly isSent: boolean;
      /** Whether it is rejected instead, because an earlier row has its key. */
      readonly isDuplicate: boolean;
    }
  | { readonly is: "reject"; readonly reject: RejectEntry }
  | { readonly is: "filtered" }
);

/** The staging that sent what the service holds, or may still send it; the run is undefined once it was pruned. */
export type SentBy = {
  readonly staging: Staging;
  readonly run: Run | undefined;
  readonly parts: readonly Receipt[];
};

/** What the state store knows about a key. */
export type ExplainedKey = {
  readonly key: string;
  readonly known: KnownRecord;
  readonly sender: SentBy | undefined;
  readonly rejects: readonly StoredReject[];
  /** Since when no whole reading of the source has brought it; null if it is there, or never was. */
  readonly gone: Gone | null;
};

/** A pull that writes columns of the rows that the sync reads, and its last run. Which rows it wrote is not kept. */
export type ExplainedPull = {
  readonly pull: string;
  readonly columns: readonly string[];
  readonly last: RunFigures | undefined;
};

/** All that is known about a row or key of a sync. */
export type Explained = {
  /** As it was asked for. */
  readonly name: string;
  /** Whether the name is a place, as far as this can be known: a key may look like one. */
  readonly isPlace: boolean;
  /** Empty if the source has no such row; undefined if single rows of it cannot be read, or it failed. */
  readonly rows: readonly ExplainedRow[] | undefined;
  /** Why the source, or the mapping, could not be asked for a key; the rest is shown all the same. */
  readonly failed: SluiceError | undefined;
  /** One, or more if several rows have the name; none for a place without a row that has a key. */
  readonly keys: readonly ExplainedKey[];
  readonly pulls: readonly ExplainedPull[];
};

/** The subject of an explanation: a row by its key or its place. */
export type Explaining = {
  readonly config: Config;
  readonly sync: SyncConfig;
  readonly source: Source;
  readonly name: string;
  /** Whether to read all of the source for records of the key, because its rows may have other names. */
  readonly scans: boolean;
  /** Whether the name is a place, and so not a key. @default false */
  readonly isPlace?: boolean;
  /** How long the source may take to find the row, in ms. @default as long as it needs */
  readonly answerMsMax?: number;
};

/** A row as mapped. A record has its line, which is compared once it is known what the service holds. */
type MappedRow =
  | Exclude<ExplainedRow, { readonly is: "record" }>
  | {
      readonly is: "record";
      readonly place: string;
      readonly key: string;
      readonly record: StreamRecord;
      readonly line: Buffer;
    };

/** The wanted records and rejects of a page; for a page of named rows, also the rows that a filter left out. */
function* rowsIn(
  page: RecordPage,
  { name, scans }: Pick<Explaining, "name" | "scans">,
): Generator<MappedRow> {
  const told = new Set<string>();
  for (const candidate of page.candidates) {
    const { key, index } = candidate;
    if (scans && key !== name) continue;
    const place = page.source.where(index);
    told.add(place);
    const line = Buffer.from(lineOf(page, candidate));
    yield { is: "record", place, key, record: recordOf(page, candidate), line };
  }
  for (const reject of page.rejects) {
    const { place, code, key } = reject;
    told.add(place);
    if (code !== "row_gone" && (!scans || key === name)) yield { is: "reject", place, reject };
  }
  if (scans) return;
  for (let index = 0; index < rowCount(page.source); index++) {
    const place = page.source.where(index);
    if (!told.has(place)) yield { is: "filtered", place };
  }
}

async function mappedNow(what: Explaining, signal?: AbortSignal): Promise<MappedRow[] | undefined> {
  const { source, sync, name, scans } = what;
  if (!scans && source.get === undefined) return undefined;
  const which = scans ? { limit: Number.MAX_SAFE_INTEGER } : { key: [name], limit: 1 };
  const rows: MappedRow[] = [];
  for await (const page of await mappedRows(source, sync, { ...which, signal })) {
    for (const row of rowsIn(page, what)) if (rows.length < rowsMax) rows.push(row);
    page.release?.();
  }
  return rows;
}

/**
 * Whether a run rejects a row because an earlier one has its key. A scan has met that earlier one; for a row that is
 * read alone, its newest reject says so.
 */
function isSecond(
  { place, key }: Extract<MappedRow, { readonly is: "record" }>,
  { source, sync, scans }: Explaining,
  told: { readonly rows: readonly MappedRow[]; readonly keys: readonly ExplainedKey[] },
): boolean {
  if (sync.send === "all" || !rejectsDuplicates(source, sync)) return false;
  if (scans)
    return told.rows.find((row) => row.is === "record" && row.key === key)?.place !== place;
  return wasSecond(place, told.keys.find((one) => one.key === key)?.rejects ?? []);
}

function explainedRow(
  row: MappedRow,
  what: Explaining,
  told: {
    readonly rows: readonly MappedRow[];
    readonly keys: readonly ExplainedKey[];
    readonly nowMs: number;
  },
): ExplainedRow {
  if (row.is !== "record") return row;
  const { line, ...record } = row;
  const { sync } = what;
  const known = told.keys.find(({ key }) => key === row.key)?.known ?? { state: "new" };
  const change = changeOf(line, sync.stream, known);
  const isDuplicate = isSecond(row, what, told);
  const isSent = !isDuplicate && wouldBeSent(change, sync, told.nowMs);
  return { ...record, change, isSent, isDuplicate };
}

async function senderOf(state: StateStore, known: KnownRecord): Promise<SentBy | undefined> {
  if (known.state === "new" || known.send === undefined) return undefined;
  const staging = await state.stagingNumbered({ send: known.send });
  if (staging === undefined) return undefined;
  // One after the other: at once they would need two connections, and opening the second takes longer than a query.
  const run = await state.run(staging.runId);
  return { staging, run, parts: await state.receipts(staging) };
}

/** The pulls that write into what a sync reads. */
async function pullsOf(
  { config, sync }: Pick<Explaining, "config" | "sync">,
  state: StateStore | undefined,
): Promise<ExplainedPull[]> {
  const target = targetOf(config.api);
  return await Promise.all(
    pullsInto(sync, config.pulls).map(async (into) => {
      const runs = (await state?.runFigures({ target, sync: into.pull, limit: 1 })) ?? [];
      return { ...into, last: runs[0] };
    }),
  );
}

/**
 * The keys of rows, also of rejected ones: the service may hold their earlier records. Without any, the name is the
 * key, unless it is a place.
 */
function keysOf(
  { name, isPlace = false }: Pick<Explaining, "isPlace" | "name">,
  rows: readonly MappedRow[],
): readonly string[] {
  const keys = rows.flatMap((row) => {
    const key = row.is === "record" ? row.key : row.is === "reject" ? row.reject.key : undefined;
    return key === undefined ? [] : [key];
  });
  if (keys.length > 0) return [...new Set(keys)];
  return isPlace || rows.some(({ place }) => place === name) ? [] : [name];
}

/** As `mappedNow`, but waits for the source only as long as it may take. */
async function mappedInTime(what: Explaining): Promise<MappedRow[] | undefined> {
  const { answerMsMax, sync } = what;
  if (answerMsMax === undefined) return await mappedNow(what);
  const over = new AbortController();
  const late = delay(answerMsMax, undefined, { ref: false, signal: over.signal }).then(() => {
    throw new RetryLater(
      `the source of ${sync.name} did not answer within ${answerMsMax / 1_000} s`,
      { hint: "`sluice check` shows why" },
    );
  });
  return await Promise.race([mappedNow(what, over.signal), late]).finally(() => over.abort());
}

/** The rows of a key, or why they cannot be read. Throws for a place: without its row nothing is known about it. */
async function mappedOrFailed(
  what: Explaining,
): Promise<{ readonly mapped?: MappedRow[] | undefined; readonly failed?: SluiceError }> {
  try {
    return { mapped: await mappedInTime(what) };
  } catch (error) {
    if (what.isPlace === true || !(error instanceof SluiceError)) throw error;
    return { failed: error };
  }
}

function looksLikePlace({ isPlace = false, source, name }: Explaining): boolean {
  return isPlace || (source.placesAreLines === true && isLine(name));
}

/**
 * Looks up what became of a row: in the source, by its mapping, and in the state store, which is the one that is open,
 * or otherwise the project's own if it has one.
 * @throws {SluiceError} the source cannot be asked for a place.
 */
export async function explain(what: Explaining, opened?: StateStore): Promise<Explained> {
  const { config, sync, name } = what;
  const { mapped, failed } = await mappedOrFailed(what);
  const keys = keysOf(what, mapped ?? []);
  const lookUp = async (state: StateStore | undefined): Promise<Explained> => {
    const nowMs = state?.now() ?? Date.now();
    const records = (state && (await knownOf(state, what, keys))) ?? [];
    const explained = keys.map(async (key, at): Promise<ExplainedKey> => {
      const record = records[at] ?? { state: "new" };
      const of = { target: targetOf(config.api), sync: sync.name, key, limit: rejectsMax };
      const rejects = (await state?.rejectsOfKey(of)) ?? [];
      const [gone = null] = (await state?.goneSince({ ...of, keys: [key] })) ?? [];
      const sender = state && (await senderOf(state, record));
      return { key, known: record, sender, rejects, gone };
    });
    const told = { rows: mapped ?? [], keys: await Promise.all(explained), nowMs };
    return {
      name,
      isPlace: looksLikePlace(what),
      rows: mapped?.map((row) => explainedRow(row, what, told)),
      failed,
      keys: told.keys,
      pulls: await pullsOf(what, state),
    };
  };
  if (opened !== undefined) return await lookUp(opened);
  return await withStateThere(config, lookUp, { onlyReads: true });
}
