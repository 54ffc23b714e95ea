import type { Path } from "../config/document/document.ts";
import type { CompiledMapping } from "../mapping/compile.ts";
import { writeLines } from "../pipeline/lines.ts";
import { lineOf, rowCount, type RecordPage, type RowPage } from "../pipeline/page.ts";
import { rejectMaker } from "../pipeline/rejects.ts";
import { isPlainObject } from "../records/json-value.ts";
import type { Row, Stream } from "../records/streams.ts";
import { memberDifferences, type MemberDifference } from "./compare.ts";
import { expectedAt, type MappingCase, type TestFile } from "./load.ts";
import type { RowOutcome } from "./outcome.ts";

/** The result of a case. */
export type CaseResult = {
  readonly case: MappingCase;
  readonly outcomes: readonly RowOutcome[];
  readonly differences: readonly CaseDifference[];
};

/** A difference of a case, and where its member is expected. */
export type CaseDifference = MemberDifference & {
  /** From the file to the expectation. */
  readonly at: Path;
  /** Which row, from 1; undefined if the case has only one. */
  readonly row?: number | undefined;
};

/** The tools that tests need besides their file. */
export type TestMeans = {
  readonly mapping: CompiledMapping;
  /** The rows of a file, as the connector of the sync reads them. @throws {SluiceError} they cannot be read. */
  readonly readFile: (path: string) => AsyncIterable<RowPage>;
};

/** Runs the cases of a file, in their order. @throws {SluiceError} a file of rows cannot be read. */
export async function runTests(file: TestFile, means: TestMeans): Promise<readonly CaseResult[]> {
  const { stream } = file.sync;
  const { mapping } = means;
  // All rows written in the file form one page, so that the set-up cost of a page is paid once.
  const written = file.cases.flatMap(({ input }) => ("rows" in input ? input.rows : []));
  const outcomes = (await outcomesOfRows(written, { mapping, stream })).values();
  const results: CaseResult[] = [];
  for (const one of file.cases) {
    const { input } = one;
    const own =
      "rows" in input
        ? [...outcomes.take(input.rows.length)]
        : await outcomesOf(means.readFile(input.file), { mapping, stream });
    results.push({ case: one, outcomes: own, differences: compareCase(one, own, stream) });
  }
  return results;
}

function compareCase(
  one: MappingCase,
  outcomes: readonly RowOutcome[],
  stream: Stream,
): readonly CaseDifference[] {
  const { expected } = one;
  const count = Math.max(expected.length, outcomes.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const at = expectedAt(one, index);
    const row = one.isSingle ? undefined : index + 1;
    const [wanted = {}, outcome] = [expected[index], outcomes[index]];
    const found =
      outcome === undefined
        ? [{ path: [], expected: wanted, actual: undefined }]
        : memberDifferences(outcome, wanted, stream);
    return found.map((difference) => ({ ...difference, at, row }));
  });
}

/** Maps rows and returns their outcomes, in order. */
export async function outcomesOfRows(
  rows: readonly Row[],
  by: { readonly mapping: CompiledMapping; readonly stream: Stream },
): Promise<readonly RowOutcome[]> {
  return await outcomesOf(pageOf(rows), by);
}

async function* pageOf(rows: readonly Row[]): AsyncGenerator<RowPage> {
  await Promise.resolve();
  yield { rows, position: undefined, where: String };
}

/** The outcome of each row of the pages, in order. */
async function outcomesOf(
  pages: AsyncIterable<RowPage>,
  { mapping, stream }: { readonly mapping: CompiledMapping; readonly stream: Stream },
): Promise<readonly RowOutcome[]> {
  const makeReject = rejectMaker(stream, "drop");
  const outcomes: RowOutcome[] = [];
  for await (const page of writeLines(pages, { mapping, stream, keepRows: "drop", makeReject })) {
    outcomes.push(...ofPage(page));
    page.release?.();
  }
  return outcomes;
}

function numberOf(place: string): number {
  return Number(/\d+$/.exec(place)?.[0] ?? 0);
}

/** A row that became neither a record nor a reject was filtered by the mapping. */
function ofPage(page: RecordPage): readonly RowOutcome[] {
  const { source } = page;
  const places = Array.from({ length: rowCount(source) }, (_, index) => source.where(index));
  const made = new Map<string, RowOutcome>(places.map((place) => [place, { filtered: true }]));
  for (const candidate of page.candidates) {
    const place = source.where(candidate.index);
    const omitted = (page.omitted ?? []).filter(({ where }) => where === place);
    const record: unknown = JSON.parse(lineOf(page, candidate).toString());
    if (!isPlainObject(record)) continue;
    const why = new Map(omitted.map(({ field, reason }) => [field, reason]));
    made.set(place, { record, omitted: why });
  }
  for (const { place, code, field, reason } of page.rejects)
    made.set(place, { reject: { code, field }, reason });
  // Rows that could not be read are not among the page's rows; their places have the numbers of their lines.
  return [...made].toSorted(([a], [b]) => numberOf(a) - numberOf(b)).map(([, outcome]) => outcome);
}
