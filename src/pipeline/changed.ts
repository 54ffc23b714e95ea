import { ConfigError } from "../errors.ts";
import type {
  FieldChange,
  FieldsToKeep,
  JudgedKeys,
  KeysToStage,
} from "../state/contract/keys/fingerprints.ts";
import { isSent, verdict } from "../state/contract/keys/fingerprints.ts";
import type { StateClient } from "../state/state-store.ts";
import { keysOf } from "./candidates/keys.ts";
import type { ChangeCounts } from "./change-counts.ts";
import type { ChunkBudget } from "./chunk-budget.ts";
import type { FieldHasher } from "./fields/field-hashes.ts";
import type { LineBlock } from "./fields/field-program.ts";
import { hashesOfLines, hashesOfRows } from "./line-hashes.ts";
import type { LostFields } from "./lost-fields.ts";
import { rowNumbers, type MakeReject, type RecordPage } from "./page.ts";

/**
 * Rows after which the store is asked for their keys. It looks keys up in their order, so that many at once share pages
 * of its B-tree. But rows are held in memory twice: those being judged and those gathered meanwhile.
 */
const rowsAtOnceMin = 10_000;

/** Bytes of lines after which the store is asked in any case, because rows may be long (I7). */
const bytesAtOnceMin = 4 * 1024 * 1024;

/**
 * Memory of pages after which the store is asked and its answer awaited, before the next page is read: a thread's heap
 * does not hold two such groups.
 */
const heapBytesAtOnceMin = 24 * 1024 * 1024;

/** How a sync decides what has changed, without the keys and hashes, which come with each page. */
export type ChangedSettings = Omit<
  KeysToStage,
  "again" | "ages" | "hashes" | "keys" | "rowNumbers"
> & {
  /**
   * For `send: all`, which leaves out only a row that a run reads again and that is unchanged, its stamp included:
   * `again` judges every row; `first` judges those that the next run may read again, which is enough where nothing was
   * sent before. Undefined judges records.
   */
  readonly rows?: "again" | "first" | undefined;
  /** Set for a backfill that would not end with the newest row of a record with several rows: a second row stops it. */
  readonly oneEach?: boolean | undefined;
};

/** Pages whose keys the store is judging. */
type Judging = { readonly pages: readonly RecordPage[]; readonly asked: Promise<JudgedKeys> };

/** Judged pages, and the fields that differ in the records to be sent, once their hashes are kept. */
type Judged = {
  readonly pages: readonly RecordPage[];
  readonly verdicts: JudgedKeys["verdicts"];
  readonly kept: Promise<readonly FieldChange[]>;
};

/** Whether enough rows are gathered. All rows count, because even a page without keys is in memory. */
function isEnough(pages: readonly RecordPage[]): boolean {
  let [rows, bytes] = [0, 0];
  for (const { candidates, read } of pages) {
    rows += read;
    bytes += candidates.jsonl.length;
  }
  return rows >= rowsAtOnceMin || bytes >= bytesAtOnceMin;
}

/** Whether the pages take so much memory that none may be read beside them. */
function isHeavy(pages: readonly RecordPage[]): boolean {
  const heapBytes = pages.reduce((sum, { source }) => sum + (source.heapBytes ?? 0), 0);
  return heapBytes >= heapBytesAtOnceMin;
}

/** The place of one of the candidates of some pages that are to be sent, by its index among those. */
function placeOf(pages: readonly RecordPage[], verdicts: Uint8Array, candidate: number): string {
  let [left, at] = [candidate, 0];
  for (const { candidates, source } of pages) {
    for (let position = 0; position < candidates.length; position += 1) {
      if (isSent(verdicts[at++]) && left-- === 0) return source.where(candidates.rowOf(position));
    }
  }
  return "";
}

function severalRows(sync: string, rows: ChangedSettings["rows"]): ConfigError {
  const newest =
    rows === undefined
      ? 'leave out "to", "limit", "keys" and "lanes": a backfill in one lane that continues to the present ' +
        "ends with the newest row of each"
      : `\`sluice state reset ${sync}\` sends all of them again, in order`;
  return new ConfigError(
    `several rows of sync ${sync} make one record: an older one could overwrite what the service holds of it`,
    { field: "sync", hint: `${newest}, and sets right what this one may have sent` },
  );
}

function apply(page: RecordPage, verdicts: Uint8Array, makeReject: MakeReject): void {
  const { candidates } = page;
  candidates.keep((position) => {
    if (verdicts[position] === verdict.unchanged) {
      page.unchanged += 1;
      return false;
    }
    if (verdicts[position] === verdict.superseded) {
      page.filtered += 1;
      page.superseded.push(page.source.where(candidates.rowOf(position)));
      return false;
    }
    if (verdicts[position] === verdict.duplicate) {
      const reason = "same key as an earlier row of this run";
      const key = candidates.keyAt(position);
      const fault = { step: "duplicate", code: "duplicate_key", reason, key } as const;
      page.rejects.push(makeReject(page.source, candidates.rowOf(position), fault));
      return false;
    }
    return true;
  });
}

/** The number of each candidate's row in its chunk. */
function rowNumbersOf(pages: readonly RecordPage[], rows: number): Uint32Array {
  const numbers = new Uint32Array(rows);
  let row = 0;
  for (const { source, candidates } of pages) {
    const numberOf = rowNumbers(source);
    for (let position = 0; position < candidates.length; position += 1) {
      numbers[row++] = numberOf(candidates.rowOf(position));
    }
  }
  return numbers;
}

/** The age of each row of a replay; undefined where the rows are not of a replay. */
function agesOf(pages: readonly RecordPage[]): readonly number[] | undefined {
  const ages = pages.flatMap(({ source, candidates }) =>
    source.age === undefined ? [] : candidates.map(({ index }) => source.age?.(index) ?? 0),
  );
  return ages.length === 0 ? undefined : ages;
}

/** The keys of the candidates of some pages, the ages of their rows, and which of them are in `again`. */
function orderOf(
  pages: readonly RecordPage[],
  again: ReadonlySet<string>,
): Pick<KeysToStage, "again" | "ages" | "keys" | "rowNumbers"> {
  const keys = keysOf(pages);
  return {
    keys,
    rowNumbers: rowNumbersOf(pages, keys.ends.length),
    ages: agesOf(pages),
    again:
      again.size === 0
        ? undefined
        : pages.flatMap(({ candidates }) => candidates.map(({ key }) => again.has(key))),
  };
}

/** The lines of the candidates of some pages that are to be sent. */
function leavingOf(pages: readonly RecordPage[], verdicts: Uint8Array): readonly LineBlock[] {
  let at = 0;
  return pages.flatMap(({ candidates }) => {
    const places = new Uint32Array(2 * candidates.length);
    let to = 0;
    for (let position = 0; position < candidates.length; position += 1) {
      if (!isSent(verdicts[at++])) continue;
      places[to++] = candidates.startOf(position);
      places[to++] = candidates.endOf(position);
    }
    return to === 0 ? [] : [{ bytes: candidates.jsonl, places: places.subarray(0, to) }];
  });
}

/** How the hashes of fields are kept. */
type FieldKeeping = {
  readonly hasher: FieldHasher;
  /** Like the store's `keepFields`. */
  keep(
    fields: Pick<FieldsToKeep, "fieldBytes" | "hashes" | "ids" | "verdicts">,
  ): Promise<readonly FieldChange[]>;
};

/** How keys are judged. */
type HowToJudge = {
  readonly settings: ChangedSettings;
  readonly makeReject: MakeReject;
  /** Keeps pages that might belong to the next chunk from being judged: their keys would be marked as seen. */
  readonly budget: ChunkBudget;
  /** Undefined keeps no hashes of fields. */
  readonly fields?: FieldKeeping | undefined;
  /** Receives the fields that records had when they were sent before, but no longer have. */
  readonly lost?: LostFields | undefined;
  /** Receives why records are sent. */
  readonly counts?: ChangeCounts | undefined;
};

/** Keeps a call that fails while pages are mapped from ending the process: its error surfaces when it is awaited. */
function inItsTurn<Result>(call: Promise<Result>): Promise<Result> {
  call.catch(() => undefined);
  return call;
}

/**
 * Makes a function that asks the store for the keys of pages, without waiting for the answer; `again` holds the keys of
 * lines that were already sent again. The input is prepared first, so that the store need not wait for it.
 */
function createAsking(
  state: Pick<StateClient, "stageKeys">,
  how: HowToJudge,
  again: ReadonlySet<string>,
): (gathered: readonly RecordPage[]) => () => Judging {
  const { rows, oneEach: _, ...settings } = how.settings;
  return (gathered) => {
    const hashes = rows === undefined ? hashesOfLines(gathered) : hashesOfRows(gathered);
    const input = { ...settings, ...orderOf(gathered, again), hashes };
    return () => ({ pages: gathered, asked: inItsTurn(state.stageKeys(input)) });
  };
}

/**
 * Waits for the store's verdicts on pages, and has it keep the field hashes of records that are to be sent, before they
 * can leave. The store takes one call after the other: a call made before the one for the next pages does not wait for
 * that.
 */
async function settle(
  { pages, asked }: Judging,
  fields: FieldKeeping | undefined,
): Promise<Judged> {
  const { verdicts, leaving: ids } = await asked;
  if (fields === undefined || ids.length === 0) {
    return { pages, verdicts, kept: Promise.resolve([]) };
  }
  const hashes = await fields.hasher.hash(leavingOf(pages, verdicts));
  const kept = fields.keep({ ...hashes, ids, verdicts: verdicts.filter(isSent) });
  return { pages, verdicts, kept: inItsTurn(kept) };
}

/**
 * Leaves out records that the service is known to hold, and writes what this send will make known before it can leave.
 * Pages keep their order; while the store's thread judges some, this one continues with the next.
 */
export async function* dropUnchanged(
  pages: AsyncIterable<RecordPage>,
  state: Pick<StateClient, "stageKeys">,
  how: HowToJudge,
): AsyncGenerator<RecordPage> {
  const { rows, oneEach, sync } = how.settings;
  const again = new Set<string>();
  const askingFor = createAsking(state, how, again);
  async function* applied({
    pages: done,
    verdicts: all,
    kept,
  }: Judged): AsyncGenerator<RecordPage> {
    how.counts?.add(all, (sent) => placeOf(done, all, sent));
    for (const { slot, changed, lost, firstLost } of await kept) {
      const field = how.fields?.hasher.nameOf(slot) ?? "";
      how.counts?.addField(field, changed);
      if (lost > 0) how.lost?.add(field, lost, placeOf(done, all, firstLost));
    }
    if (oneEach === true && all.includes(verdict.duplicate)) throw severalRows(sync, rows);
    let from = 0;
    for (const page of done) {
      const { length } = page.candidates;
      apply(page, all.subarray(from, from + length), how.makeReject);
      from += length;
      yield page;
    }
  }

  let gathered: RecordPage[] = [];
  let judging: Judging | undefined;
  for await (const page of pages) {
    how.budget.enter(page);
    if (page.source.isAgain === true) {
      for (const { key } of page.candidates) again.add(key);
      how.counts?.addAgain(page.candidates.length);
      yield page;
      continue;
    }
    // In the order of a source such pages come before all others.
    const isJudged = rows !== "first" || page.source.mayComeAgain !== false;
    if (!isJudged && gathered.length === 0 && judging === undefined) {
      yield page;
      continue;
    }
    gathered.push(page);
    const canReadAhead = how.budget.canReadAhead() && !isHeavy(gathered);
    if (canReadAhead && !isEnough(gathered)) continue;
    const ask = askingFor(gathered);
    const before = judging === undefined ? undefined : await settle(judging, how.fields);
    judging = ask();
    gathered = [];
    if (before !== undefined) yield* applied(before);
    if (canReadAhead) continue;
    yield* applied(await settle(judging, how.fields));
    judging = undefined;
  }
  if (judging !== undefined) yield* applied(await settle(judging, how.fields));
  if (gathered.length > 0) yield* applied(await settle(askingFor(gathered)(), how.fields));
}
