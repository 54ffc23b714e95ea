import type { RecordPage } from "../../src/pipeline/page.ts";
import { doubtfulPages, doubtPosition } from "./doubtful-pages.ts";
import type { StageJob, StageTools } from "./stage-job.ts";

function againWarning(records: number): string {
  const [were, them] = records === 1 ? ["record was", "it"] : ["records were", "them"];
  return `${records} ${were} sent once more: a request of unknown outcome may have been applied over ${them}`;
}

/** The tools of a staging that this needs; `warnings` receives how many records were sent again. */
type Tools = Pick<StageTools, "state"> & { readonly warnings: string[] };

/**
 * The records in doubt that are sent again, as pages of lines. They do not move the position in the source, unless
 * nothing else is read.
 */
async function* pagesInDoubt(
  {
    doubts,
    span,
    chunk,
  }: Pick<StageJob, "span" | "chunk"> & { readonly doubts: NonNullable<StageJob["doubts"]> },
  { state, warnings }: Tools,
): AsyncGenerator<RecordPage> {
  let again = 0;
  const { isAlone } = doubts;
  const from = isAlone ? doubtPosition.nullish().parse(span.from) : undefined;
  const positionOf: Parameters<typeof doubtfulPages>[1]["positionOf"] = (last) =>
    isAlone ? last : chunk.from;
  const pages = doubtfulPages(doubts, { state, positionOf }, from ?? undefined);
  try {
    for await (const page of pages) {
      again += page.candidates.length;
      yield page;
    }
  } finally {
    if (again > 0) warnings.push(againWarning(again));
  }
}

/** The pages, after those of the records in doubt that are sent again. */
export async function* withDoubtful(
  pages: AsyncIterable<RecordPage>,
  job: StageJob,
  tools: Tools,
): AsyncGenerator<RecordPage> {
  const { doubts } = job;
  if (doubts !== undefined) yield* pagesInDoubt({ ...job, doubts }, tools);
  yield* pages;
}
