import { PlainLines } from "../mapping/bytes/plain-lines.ts";
import type { CompiledMapping } from "../mapping/compile.ts";
import { JsonlWriter } from "../records/jsonl.ts";
import { PageMemory } from "../records/page-memory.ts";
import { keyFieldOf, type Stream, type StreamRecord } from "../records/streams.ts";
import { validateRecord } from "../records/validate-record.ts";
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
  for await (const page of pages) yield writer.write(page);
}

class LineWriter {
  readonly #how: HowToWrite;
  readonly #lines = new JsonlWriter();
  readonly #memory = new PageMemory();
  readonly #plain: PlainLines | undefined;
  readonly #validate: ReturnType<typeof validateRecord>;

  constructor(how: HowToWrite) {
    const { plan } = how.mapping;
    this.#how = how;
    this.#plain = "because" in plan ? undefined : new PlainLines(plan, this.#lines);
    this.#validate = validateRecord(how.stream);
  }

  write(source: RowPage): RecordPage {
    const rejects = sourceRejects(source, this.#how.stream, this.#how.keepRows);
    const rows = rowCount(source);
    const candidates: Candidate[] = [];
    const omitted: Omitted[] = [];
    let filtered = 0;
    const { cells } = source;
    for (let index = 0; index < rows; index += 1) {
      const start = this.#lines.end;
      const plainKey = cells === undefined ? undefined : this.#plain?.write(cells, index);
      const made = plainKey ?? this.#object(source, index, omitted);
      if (made === null) filtered += 1;
      else if (typeof made === "object" && "reject" in made) rejects.push(made.reject);
      else {
        const { key, record } = typeof made === "string" ? { key: made, record: undefined } : made;
        const candidate = { index, key, start, end: this.#lines.end - 1, record };
        const reject = this.#tooLarge(source, candidate);
        if (reject === undefined) candidates.push(candidate);
        else rejects.push(reject);
      }
    }
    const counts = { read: rows + rejectsOf(source), filtered, unchanged: 0 };
    const piece = this.#memory.take(this.#lines.end);
    const jsonl = this.#lines.take(piece);
    const release = (): void => {
      this.#memory.giveBack(piece);
      cells?.release?.();
    };
    return { source, ...counts, jsonl, candidates, rejects, superseded: [], omitted, release };
  }

  /** Writes the line of a row that is mapped as an object; null is of one that the mapping leaves out. */
  #object(source: RowPage, index: number, omitted: Omitted[]): Made | null {
    const { makeReject, mapping, stream } = this.#how;
    const mapped = mapping.map(rowAt(source, index) ?? {});
    if (mapped === null) return null;
    if ("reject" in mapped) {
      const key = keyText(mapped.key);
      return { reject: makeReject(source, index, { step: "map", ...mapped.reject, key }) };
    }
    for (const { field = "", reason } of mapped.omitted ?? []) {
      omitted.push({ field, reason, where: source.where(index) });
    }
    const { record } = mapped;
    const fault = this.#validate(record);
    if (fault !== undefined) {
      const key = keyText(record[keyFieldOf(stream)]);
      return { reject: makeReject(source, index, { step: "validate", ...fault, key }) };
    }
    this.#lines.write(JSON.stringify(record));
    return { key: String(record[keyFieldOf(stream)]), record };
  }

  #tooLarge(source: RowPage, { index, key, start, end }: Candidate): Reject | undefined {
    const { bytesMax = Infinity, makeReject } = this.#how;
    const bytes = end - start;
    if (bytes <= bytesMax) return undefined;
    const reason = `the record alone has ${bytes} bytes; a lightweight body holds ${bytesMax} for one`;
    return makeReject(source, index, { step: "validate", code: "too_large", reason, key });
  }
}

type Reject = ReturnType<MakeReject>;

/** What an object became. */
type Made = { readonly key: string; readonly record: StreamRecord } | { readonly reject: Reject };

/** A key as a reject names it, by which `rejects list --key` finds it; undefined of what no record can have for one. */
function keyText(key: unknown): string | undefined {
  return typeof key === "string" && key !== "" && key.isWellFormed() ? key : undefined;
}

function rejectsOf({ rejects }: RowPage): number {
  return rejects?.length ?? 0;
}
