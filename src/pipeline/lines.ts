import { PlainLines } from "../mapping/bytes/plain-lines.ts";
import type { CompiledMapping } from "../mapping/compile.ts";
import { JsonlWriter } from "../records/jsonl.ts";
import { PageMemory } from "../records/page-memory.ts";
import { keyFieldOf, type Stream } from "../records/streams.ts";
import { validateRecord } from "../records/validate-record.ts";
import { PlainCandidate } from "./candidates/plain-candidate.ts";
import { rowAt, rowCount } from "./page.ts";
import type { Candidate, MakeReject, Omitted, RecordPage, RowPage } from "./page.ts";
import { sourceRejects, type KeepRows } from "./rejects.ts";

/** How rows become lines. */
export type HowToWrite = {
  readonly mapping: Pick<CompiledMapping, "map" | "plan">;
  readonly stream: Stream;
  readonly keepRows: KeepRows;
  readonly makeReject: MakeReject;
  /** Bytes of a line at most, because the record could not travel alone (I3). @default no limit */
  readonly bytesMax?: number | undefined;
};

/**
 * Makes of every row one line of JSON, a reject, or nothing where the mapping leaves it out. A row that is plain goes
 * from cells to its line at once; every other one is mapped as an object, checked against its stream's schema and
 * written.
 */
export async function* writeLines(
  pages: AsyncIterable<RowPage>,
  how: HowToWrite,
): AsyncGenerator<RecordPage> {
  const writer = new LineWriter(how);
  try {
    for await (const page of pages) yield writer.write(page);
  } finally {
    writer.close();
  }
}

const lineWords = 4;

class LineWriter {
  readonly #how: HowToWrite;
  readonly #plain: PlainLines | undefined;
  readonly #lines: JsonlWriter;
  readonly #memory = new PageMemory();
  readonly #validate: ReturnType<typeof validateRecord>;

  constructor(how: HowToWrite) {
    const { plan } = how.mapping;
    this.#how = how;
    this.#plain = "because" in plan ? undefined : new PlainLines(plan);
    this.#lines = this.#plain?.lines ?? new JsonlWriter();
    this.#validate = validateRecord(how.stream);
  }

  write(source: RowPage): RecordPage {
    const rows = rowCount(source);
    const page: PageInMaking = {
      source,
      read: rows + rejectsOf(source),
      rejects: sourceRejects(source, this.#how.stream, this.#how.keepRows),
      filtered: 0,
      unchanged: 0,
      superseded: [],
      omitted: [],
      jsonl: this.#lines.bytes,
      candidates: [],
    };
    const { cells } = source;
    const plain = cells === undefined ? undefined : this.#plain;
    if (cells !== undefined) plain?.begin(cells);
    for (let index = 0; index < rows; index += 1) {
      const from = index;
      index = plain?.write(from) ?? from;
      if (plain !== undefined) this.#addPlain(page, plain, { from, to: index });
      if (index < rows) this.#addObject(page, index);
    }
    const piece = this.#memory.take(this.#lines.end);
    page.jsonl = this.#lines.take(piece);
    page.release = () => {
      this.#memory.giveBack(piece);
      cells?.release?.();
    };
    return page;
  }

  /** Lets go of memory; nothing is written afterwards. */
  close(): void {
    this.#plain?.close();
  }

  /** Adds rows whose lines were written from their cells. */
  #addPlain(page: PageInMaking, { places }: PlainLines, { from, to }: Range): void {
    page.jsonl = this.#lines.bytes;
    for (let index = from; index < to; index += 1) {
      const at = index * lineWords;
      const [start, end] = [places[at] ?? 0, (places[at + 1] ?? 0) - 1];
      const [keyFrom, keyTo] = [places[at + 2] ?? 0, places[at + 3] ?? 0];
      this.#add(page, new PlainCandidate(page, { index, start, end, keyFrom, keyTo }));
    }
  }

  /** Adds a row that is mapped as an object. */
  #addObject(page: PageInMaking, index: number): void {
    const { makeReject, mapping, stream } = this.#how;
    const { source } = page;
    const mapped = mapping.map(rowAt(source, index) ?? {});
    if (mapped === null) {
      page.filtered += 1;
      return;
    }
    if ("reject" in mapped) {
      const key = keyText(mapped.key);
      page.rejects.push(makeReject(source, index, { step: "map", ...mapped.reject, key }));
      return;
    }
    for (const { field = "", reason } of mapped.omitted ?? []) {
      page.omitted.push({ field, reason, where: source.where(index) });
    }
    const { record } = mapped;
    const fault = this.#validate(record);
    if (fault !== undefined) {
      const key = keyText(record[keyFieldOf(stream)]);
      page.rejects.push(makeReject(source, index, { step: "validate", ...fault, key }));
      return;
    }
    const start = this.#lines.end;
    this.#lines.write(JSON.stringify(record));
    const key = String(record[keyFieldOf(stream)]);
    const place = { index, start, end: this.#lines.end - 1, keyFrom: -1, keyTo: -1 };
    this.#add(page, { ...place, key, record });
  }

  /** Adds a record that is not too large. */
  #add(page: PageInMaking, candidate: Candidate): void {
    const { bytesMax = Infinity, makeReject } = this.#how;
    const bytes = candidate.end - candidate.start;
    if (bytes <= bytesMax) {
      page.candidates.push(candidate);
      return;
    }
    const { index, key } = candidate;
    const reason = `the record alone has ${bytes} bytes; a lightweight body holds ${bytesMax} for one`;
    const fault = { step: "validate", code: "too_large", reason, key } as const;
    page.rejects.push(makeReject(page.source, index, fault));
  }
}

/** A page to which rows are added; while they are, its lines are in the memory of the writer. */
type PageInMaking = Omit<RecordPage, "jsonl" | "omitted" | "release"> & {
  jsonl: Buffer;
  release?: () => void;
  readonly omitted: Omitted[];
};

type Range = { readonly from: number; readonly to: number };

/** A key as a reject names it, by which `rejects list --key` finds it; undefined of what no record can have for one. */
function keyText(key: unknown): string | undefined {
  return typeof key === "string" && key !== "" && key.isWellFormed() ? key : undefined;
}

function rejectsOf({ rejects }: RowPage): number {
  return rejects?.length ?? 0;
}
