import { bytesPerCharMax } from "./jsonl.ts";
import type { MakeReject, RecordPage } from "./page.ts";

/**
 * Writes every record as one line of JSON. A line above `bytesMax`, where that is set, becomes a reject: the record
 * could not travel alone in the mode that was asked for (I3).
 */
export async function* writeLines(
  pages: AsyncIterable<RecordPage>,
  how: {
    readonly keyField: string;
    readonly bytesMax: number | undefined;
    readonly makeReject: MakeReject;
  },
): AsyncGenerator<RecordPage> {
  const { keyField, bytesMax = Infinity, makeReject } = how;
  for await (const page of pages) {
    for (const candidate of page.candidates) {
      candidate.line = JSON.stringify(candidate.record);
      candidate.key = String(candidate.record[keyField]);
    }
    page.candidates = page.candidates.filter(({ line, key, index }) => {
      // So few characters that no bytes need to be counted.
      if (line.length * bytesPerCharMax <= bytesMax) return true;
      const bytes = Buffer.byteLength(line);
      if (bytes <= bytesMax) return true;
      const reason = `the record alone has ${bytes} bytes; a lightweight body holds ${bytesMax} for one`;
      const fault = { step: "validate", code: "too_large", reason, key } as const;
      page.rejects.push(makeReject(page.source, index, fault));
      return false;
    });
    yield page;
  }
}
