import { placeWords, PlainLines } from "../mapping/bytes/plain-lines.ts";
import type { CompiledMapping } from "../mapping/compile.ts";
import { JsonlWriter } from "../records/jsonl.ts";
import { PageMemory } from "../records/page-memory.ts";
import { keyFieldOf, type Stream } from "../records/streams.ts";
import { validateRecord } from "../records/validate-record.ts";
import { Candidates } from "./candidates/candidates.ts";
import { rowAt, rowCount } from "./page.ts";
import type { MakeReject, Omitted, RecordPage, RowPage } from "./page.ts";
import { sourceRejects, type KeepRows } from "./rejects.ts";

/** How rows become lines. */
export type HowToWrite = {
  readonly mapping: Pick<CompiledMapping, "map" | "plan">;
  readonly stream: Stream;
  readonly keepRows: KeepRows;
  readonly makeReject: MakeReject;
  /** Most bytes of a line, because a larger record could not travel alone (I3). @default no limit */
  readonly bytesMax?: number | undefined;
};

/**
 * Turns every row into one line of JSON, a reject, or nothing where the mapping leaves it out. A plain row goes from
 * cells to its line at once; every other row is mapped as an object, checked against its stream's schema and written.
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

const placeBytes = placeWords * Int32Array.BYTES_PER_ELEMENT;

/** Room for the places of a page in a piece of memory. */
function placesIn({ buffer, byteOffset }: Buffer, rows: number): Int32Array {
  return new Int32Array(buffer, byteOffset, rows * placeWords);
}

/** Memory for the lines and places of released pages, of any writer: a run has one for each chunk. */
const lineMemory = new PageMemory();
const placeMemory = new PageMemory();

class LineWriter {
  readonly #how: HowToWrite;
  readonly #plain: PlainLines | undefined;
  readonly #lines: JsonlWriter;
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
    const places = placeMemory.take(rows * placeBytes);
    const page: PageInMaking = {
      source,
      read: rows + rejectsOf(source),
      rejects: sourceRejects(source, this.#how.stream, this.#how.keepRows),
      filtered: 0,
      unchanged: 0,
      superseded: [],
      omitted: [],
      candidates: new Candidates(rows, this.#lines.bytes, placesIn(places, rows)),
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
    const piece = lineMemory.take(this.#lines.end);
    page.candidates.jsonl = this.#lines.take(piece);
    page.release = () => {
      lineMemory.giveBack(piece);
      placeMemory.giveBack(places);
      cells?.release?.();
    };
    return page;
  }

  /** Releases memory; nothing is written afterwards. */
  close(): void {
    this.#plain?.close();
  }

  /** Adds rows whose lines were written from their cells. */
  #addPlain(page: PageInMaking, { places }: PlainLines, { from, to }: Range): void {
    const { candidates } = page;
    candidates.jsonl = this.#lines.bytes;
    if (this.#how.bytesMax === undefined) {
      candidates.addPlaces(places.subarray(from * placeWords, to * placeWords));
      return;
    }
    for (let index = from; index < to; index += 1) {
      candidates.addPlaces(places.subarray(index * placeWords, (index + 1) * placeWords));
      this.#rejectLarge(page);
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
    page.candidates.add(place, { key });
    this.#rejectLarge(page);
  }

  /** Takes the last record out again if it is too large. */
  #rejectLarge({ candidates, rejects, source }: PageInMaking): void {
    const { bytesMax = Infinity, makeReject } = this.#how;
    const last = candidates.length - 1;
    const bytes = candidates.endOf(last) - candidates.startOf(last);
    if (bytes <= bytesMax) return;
    const { index, key } = candidates.at(last);
    candidates.length = last;
    const reason = `the record alone has ${bytes} bytes; a lightweight body holds ${bytesMax} for one`;
    const fault = { step: "validate", code: "too_large", reason, key } as const;
    rejects.push(makeReject(source, index, fault));
  }
}

/** A page to which rows are being added; meanwhile its lines are in the memory of the writer. */
type PageInMaking = Omit<RecordPage, "omitted" | "release"> & {
  release?: () => void;
  readonly omitted: Omitted[];
};

type Range = { readonly from: number; readonly to: number };

/** A key as a reject names it, by which `rejects list --key` finds it; undefined for a value that cannot be a key. */
function keyText(key: unknown): string | undefined {
  return typeof key === "string" && key !== "" && key.isWellFormed() ? key : undefined;
}

function rejectsOf({ rejects }: RowPage): number {
  return rejects?.length ?? 0;
}
