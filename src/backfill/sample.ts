import type { SyncConfig } from "../config/config.ts";
import { lightweightBodyBytesMax, planFieldsMax, reportReasonsMax } from "../limits.ts";
import { loadMapping } from "../mapping/load.ts";
import { recordBytesInBody } from "../pipeline/bodies.ts";
import { createGzipWriter } from "../pipeline/gzip.ts";
import { writeLines } from "../pipeline/lines.ts";
import { lineOf, recordOf, type RecordPage, type RowPage } from "../pipeline/page.ts";
import { rejectMaker } from "../pipeline/rejects.ts";
import { changeOf, type Change } from "../pipeline/what-changed.ts";
import { rejectText } from "../records/reject-codes.ts";
import type { KnownRecord } from "../state/contract/keys/known-records.ts";
import { plainJson } from "../text/plain-text.ts";
import { planSamplesMax } from "./limits.ts";
import type { PlanSample } from "./plan.ts";

/** What is needed to take a sample. */
export type SampleInput = {
  /** The pages of the span, from its beginning. */
  readonly pages: AsyncIterable<RowPage>;
  /** Rows after which no further page is read. */
  readonly rowsMax: number;
  readonly sync: SyncConfig;
  readonly mode: SyncConfig["mode"];
  /** Which records the backfill sends. */
  readonly send: "all" | "changed";
  /** Whether the second row of a key is a reject. */
  readonly rejectsDuplicates: boolean;
  /** What the service is known to hold for each key, in order; it must only read. */
  readonly knownRecords: (keys: readonly string[]) => Promise<readonly KnownRecord[]>;
  readonly now: Date;
  readonly signal: AbortSignal;
};

/** A sample, and the figures from which the plan's estimates are made. */
export type Sampled = {
  readonly sample: PlanSample;
  /** Its first records as JSON, each with its place and status; only for the state store (I4). */
  readonly samples: string[];
  /** Records that passed, and how many of them would be sent. */
  readonly records: number;
  readonly sent: number;
  /** The position after its last row; undefined if it has no rows. */
  readonly position: unknown;
  /** Whether the span ends with it. */
  readonly isWhole: boolean;
};

async function recordsOf({ pages, sync, mode }: SampleInput): Promise<AsyncIterable<RecordPage>> {
  const { stream, pii } = sync;
  const makeReject = rejectMaker(stream, pii.rejects);
  const mapping = await loadMapping(sync);
  const bytesMax =
    mode === "lightweight" ? recordBytesInBody(stream, lightweightBodyBytesMax) : undefined;
  return writeLines(pages, { mapping, stream, keepRows: pii.rejects, makeReject, bytesMax });
}

/** Whether a run would send it now: it is not known to be unchanged, or was accepted too long ago. */
function isSent(change: Change, { send, sync, now }: SampleInput): boolean {
  if (send === "all" || change.status !== "unchanged") return true;
  return change.acceptedAt < now.getTime() - (sync.resendAfterMs ?? Infinity);
}

function add(counts: Map<string, number>, name: string, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

/** The most frequent names with their counts. */
function mostFrequent(
  counts: ReadonlyMap<string, number>,
  max: number,
): readonly { readonly name: string; readonly count: number }[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, max);
}

/** Counts the outcomes of a sample's rows. */
class Counts {
  readonly #input: SampleInput;
  readonly #rejects = new Map<string, number>();
  readonly #fields = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #states = { new: 0, changed: 0, unchanged: 0 };
  #filtered = 0;
  rows = 0;
  records = 0;
  sent = 0;
  readonly samples: string[] = [];

  constructor(input: SampleInput) {
    this.#input = input;
  }

  /** Counts a page; returns the records that passed, as JSONL. */
  async add(page: RecordPage): Promise<Buffer> {
    const { sync, knownRecords } = this.#input;
    this.rows += page.read;
    this.#filtered += page.filtered;
    for (const { code } of page.rejects) add(this.#rejects, code);
    const passed = page.candidates.filter(({ key }) => this.#isFirst(key));
    const known = await knownRecords(passed.map(({ key }) => key));
    for (const [at, candidate] of passed.entries()) {
      const record = recordOf(page, candidate);
      const change = changeOf(lineOf(page, candidate), sync.stream, known[at] ?? { state: "new" });
      this.#count(change);
      if (this.samples.length < planSamplesMax) {
        const { status } = change;
        const { key, index } = candidate;
        const fields = status === "changed" ? change.fields : undefined;
        const where = page.source.where(index);
        const shown = { place: where, key, status, changed_fields: fields, record };
        this.samples.push(plainJson(shown));
      }
    }
    const { jsonl } = page.candidates;
    return Buffer.concat(passed.map(({ start, end }) => jsonl.subarray(start, end + 1)));
  }

  /** The counted part of a plan's sample; the rest is measured. */
  result(): Omit<PlanSample, "gzip_bytes" | "json_bytes" | "ms"> {
    const rejects = mostFrequent(this.#rejects, reportReasonsMax);
    return {
      rows: this.rows,
      rejects: rejects.map(({ name: code, count }) => ({ code, reason: rejectText(code), count })),
      filtered: this.#filtered,
      ...this.#states,
      fields: mostFrequent(this.#fields, planFieldsMax).map(({ name: field, count }) => ({
        field,
        count,
      })),
    };
  }

  #isFirst(key: string): boolean {
    if (!this.#input.rejectsDuplicates) return true;
    if (this.#seen.has(key)) {
      add(this.#rejects, "duplicate_key");
      return false;
    }
    this.#seen.add(key);
    return true;
  }

  #count(change: Change): void {
    this.records += 1;
    if (isSent(change, this.#input)) this.sent += 1;
    // Nobody knows what the service holds, so this counts as if it held nothing.
    this.#states[change.status === "unknown" ? "new" : change.status] += 1;
    if (change.status !== "changed") return;
    for (const field of change.fields ?? []) add(this.#fields, field);
  }
}

/**
 * Runs the first rows of a span through the pipeline as a run would, and compares the records with those that
 * the service is known to hold. Writes and sends nothing.
 */
export async function sampleSpan(input: SampleInput): Promise<Sampled> {
  const { sync, rowsMax, signal } = input;
  const startedAt = performance.now();
  const counts = new Counts(input);
  const gzip = createGzipWriter(async () => undefined, sync.chunk.level);
  let [isWhole, position]: [boolean, unknown] = [true, undefined];
  for await (const page of await recordsOf(input)) {
    signal.throwIfAborted();
    await gzip.add(await counts.add(page));
    ({ position } = page.source);
    isWhole = counts.rows < rowsMax;
    if (!isWhole) break;
  }
  const { jsonBytes, gzipBytes } = await gzip.finish();
  const ms = Math.round(performance.now() - startedAt);
  const { records, sent, samples } = counts;
  // Even a file without records has a head and a tail.
  const bytes = { json_bytes: jsonBytes, gzip_bytes: records === 0 ? 0 : gzipBytes };
  return {
    sample: { ...counts.result(), ...bytes, ms },
    samples,
    records,
    sent,
    position,
    isWhole,
  };
}
