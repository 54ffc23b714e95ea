import { compileMapping } from "../../src/mapping/compile.ts";
import type { RecordMapping } from "../../src/mapping/schema.ts";
import { writeLines } from "../../src/pipeline/lines.ts";
import { numbered, type RecordPage, type RowPage } from "../../src/pipeline/page.ts";
import { rejectMaker } from "../../src/pipeline/rejects.ts";
import type { Stream } from "../../src/records/streams.ts";
import { collect, streamOf } from "../support/sequences.ts";

/** The mapping from which lines are made, and their limit. */
export type LinesAsked = {
  readonly stream: Stream;
  readonly record: RecordMapping;
  /** The maximum bytes of a line; undefined for no limit. */
  readonly bytesMax: number | undefined;
};

/** The results of pages, without what only one of the two ways has: cells, and objects. */
export async function linesOf(
  pages: readonly RowPage[],
  { stream, record, bytesMax }: LinesAsked,
): Promise<readonly object[]> {
  const mapping = compileMapping({ mapping: record, stream });
  const makeReject = rejectMaker(stream, "keep");
  const how = { mapping, stream, keepRows: "keep", makeReject, bytesMax } as const;
  const lines = await collect(writeLines(numbered(streamOf(pages)), how));
  return lines.map((page: RecordPage) => ({
    ...page,
    source: undefined,
    release: undefined,
    candidates: page.candidates.map(({ index, key, start, end }) => ({ index, key, start, end })),
    jsonl: page.candidates.jsonl.toString(),
  }));
}

/** The same pages, with every row mapped as an object. */
export function asObjects(pages: readonly RowPage[]): readonly RowPage[] {
  return pages.map((page) => ({
    rows: page.rows,
    rejects: page.rejects,
    position: page.position,
    where: (index) => page.where(index),
  }));
}

/** Whether a mapping leaves no row to cells. */
export function needsObjects({ stream, record }: Pick<LinesAsked, "stream" | "record">): boolean {
  return "because" in compileMapping({ mapping: record, stream }).plan;
}
