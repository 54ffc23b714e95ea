import type { Body, StageCounts } from "../state/contract/sends/stagings.ts";
import { createBodyCutter } from "./bodies.ts";
import { KeyList } from "./candidates/keys.ts";
import type { ChunkBudget, ChunkLimits } from "./chunk-budget.ts";
import { createGzipWriter, type GzipFacts, type GzipWriter } from "./gzip.ts";
import type { RecordPage } from "./page.ts";

/** Where a page of a chunk begins, for finding the row of a record that the service refuses. */
export type PageStart = {
  readonly record: number;
  readonly from: unknown;
  /** As in the page (`RowPage`). */
  readonly first: number | undefined;
  /** As in the page (`RowPage`). */
  readonly isAgain?: boolean | undefined;
};

/** A written chunk. */
export type WrittenChunk = GzipFacts & {
  readonly counts: StageCounts;
  /** Where the next chunk begins. */
  readonly to: unknown;
  /** Whether the pages ended before the chunk was full. */
  readonly done: boolean;
  /** Undefined when a single record exceeds a lightweight body. */
  readonly bodies: readonly Body[] | undefined;
  /** The keys of its records, in order, as a JSON array. */
  readonly keys: string;
};

/** How a chunk is written. */
export type ChunkSettings = {
  readonly limits: ChunkLimits;
  readonly stream: string;
  readonly bodyBytesMax: number;
  /** gzip level. */
  readonly level: number;
  /** Where the chunk begins. */
  readonly from: unknown;
};

function addCounts(counts: StageCounts, page: RecordPage): StageCounts {
  return {
    read: counts.read + page.read,
    records: counts.records + page.candidates.length,
    unchanged: counts.unchanged + page.unchanged,
    filtered: counts.filtered + page.filtered,
    rejected: counts.rejected + page.rejects.length,
  };
}

/** A written page, the counts of the chunk with it, and where it began. */
export type WrittenPage = {
  readonly page: RecordPage;
  readonly counts: StageCounts;
  readonly start: PageStart;
};

/** Writes one chunk: a gzip file of JSONL, and everything that a later request or split of it needs. */
export class ChunkWriter {
  readonly #settings: ChunkSettings;
  readonly #budget: ChunkBudget;
  readonly #gzip: GzipWriter;
  readonly #cutter: ReturnType<typeof createBodyCutter>;
  readonly #keys = new KeyList();
  #counts: StageCounts = { read: 0, records: 0, unchanged: 0, filtered: 0, rejected: 0 };
  #to: unknown;
  #isFull = false;

  /** `budget` is the one that limits the reading of the pages. */
  constructor(
    settings: ChunkSettings,
    budget: ChunkBudget,
    write: (bytes: Buffer) => Promise<void>,
  ) {
    this.#settings = settings;
    this.#budget = budget;
    this.#gzip = createGzipWriter(write, settings.level);
    this.#cutter = createBodyCutter(settings.stream, settings.bodyBytesMax);
    this.#to = settings.from;
  }

  /**
   * Writes page after page, and yields each once it is written; it is valid until the next one is requested. Ends when
   * the chunk is full, and ends its source then.
   */
  async *write(pages: AsyncIterable<RecordPage>): AsyncGenerator<WrittenPage> {
    for await (const page of pages) {
      const { first, isAgain } = page.source;
      const start = { record: this.#counts.records, from: this.#to, first, isAgain };
      await this.#add(page);
      yield { page, counts: this.#counts, start };
      page.release?.();
      this.#isFull = this.#budget.isFull();
      if (this.#isFull) return;
    }
  }

  async #add(page: RecordPage): Promise<void> {
    if (page.candidates.length > 0) {
      await this.#addLines(page);
      // Bytes that are not deflated yet count in full: near the limit the true size is worth the wait.
      if (this.#gzip.bytesAtMost() >= this.#settings.limits.bytes) await this.#gzip.flush();
    }
    this.#counts = addCounts(this.#counts, page);
    this.#to = page.source.position;
    this.#budget.leave(page, this.#gzip.bytesAtMost());
  }

  async #addLines(page: RecordPage): Promise<void> {
    const { candidates } = page;
    const { jsonl } = candidates;
    this.#keys.add(candidates);
    // Adjacent lines are added at once.
    let [from, to] = [0, 0];
    for (let position = 0; position < candidates.length; position += 1) {
      const [start, end] = [candidates.startOf(position), candidates.endOf(position)];
      this.#cutter.add(end - start);
      if (start !== to) {
        if (to > from) await this.#gzip.add(jsonl.subarray(from, to));
        from = start;
      }
      to = end + 1;
    }
    await this.#gzip.add(jsonl.subarray(from, to));
  }

  /** Ends the file. */
  async finish(): Promise<WrittenChunk> {
    const facts = await this.#gzip.finish();
    const counted = { counts: this.#counts, to: this.#to, done: !this.#isFull };
    const [bodies, keys] = [this.#cutter.bodies(), this.#keys.json()];
    return { ...facts, ...counted, bodies, keys };
  }
}
