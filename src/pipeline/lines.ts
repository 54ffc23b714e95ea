import { JsonlWriter } from "./jsonl.ts";
import type { Candidate, MakeReject, MappedPage, RecordPage } from "./page.ts";

/** How lines are written. */
export type HowToWrite = {
  readonly keyField: string;
  /** Bytes of a line at most; undefined sets no limit. */
  readonly bytesMax: number | undefined;
  readonly makeReject: MakeReject;
};

/**
 * Writes every record as one line of JSON. A line above `bytesMax` becomes a reject: the record could not travel alone
 * in the mode that was asked for (I3).
 */
export async function* writeLines(
  pages: AsyncIterable<MappedPage>,
  how: HowToWrite,
): AsyncGenerator<RecordPage> {
  const lines = new JsonlWriter();
  for await (const { records, ...page } of pages) {
    const written: Candidate[] = [];
    for (const { record, index } of records) {
      const start = lines.end;
      lines.write(JSON.stringify(record));
      const key = String(record[how.keyField]);
      written.push({ index, key, start, end: lines.end - 1, record });
    }
    const candidates = written.filter((candidate) => fits(page, candidate, how));
    yield { ...page, jsonl: lines.take(), candidates };
  }
}

/** Whether a record can travel alone; one that cannot becomes a reject. */
function fits(
  page: Pick<RecordPage, "rejects" | "source">,
  { start, end, index, key }: Candidate,
  { bytesMax = Infinity, makeReject }: HowToWrite,
): boolean {
  const bytes = end - start;
  if (bytes <= bytesMax) return true;
  const reason = `the record alone has ${bytes} bytes; a lightweight body holds ${bytesMax} for one`;
  const fault = { step: "validate", code: "too_large", reason, key } as const;
  page.rejects.push(makeReject(page.source, index, fault));
  return false;
}
