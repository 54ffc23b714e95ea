import type { Check } from "../check.ts";
import { mustBe } from "../failed.ts";
import type { HarnessRow } from "../harness.ts";
import { makeRows, mustBeRows } from "../rows.ts";
import type { ReadPage, Subject } from "../subject.ts";

/** R4 to R6, R8 and R9: a position stands for the rows up to it, no more and no fewer. */
export const resumeChecks: readonly Check[] = [
  {
    id: "R4",
    title: "resumes at every page boundary",
    why: "Every chunk and every run begins at such a place: a row that neither side has is lost for good.",
    run: async (subject) => {
      const { rows, pages } = await readWhole(subject);
      for (const { before, position } of boundaries(pages)) {
        const rest = await subject.rows({ from: position, pageRowsMax: 3 });
        const when = `when a read continues after ${before.length} of ${rows.length}`;
        mustBeRows([...before, ...rest], rows, when);
      }
    },
  },
  {
    id: "R5",
    title: "reads nothing after the last position",
    why: "Every run without news would send the last rows again.",
    run: async (subject) => {
      const { pages } = await readWhole(subject);
      const rest = await subject.rows({ from: pages.at(-1)?.position });
      mustBe(rest.length === 0, "no row after the last position", `${rest.length}`);
      const { source } = subject;
      const knowsPositions = source.rewind !== undefined || source.isOf !== undefined;
      if (!knowsPositions || source.restart?.(subject.config()) === "each-run") return;
      const next = await subject.rewound({ position: pages.at(-1)?.position });
      const knows = source.rewind === undefined ? "isOf" : "rewind";
      const expected = `\`${knows}\` to know the position that the last read ended with`;
      mustBe(next !== undefined, expected, "undefined: everything would be read again in each run");
    },
  },
  {
    id: "R6",
    title: "cuts the source into neighbouring spans",
    why: "A backfill's lanes are such spans: a row between two of them is lost, and one in both is sent twice.",
    run: async (subject) => {
      const { rows, pages } = await readWhole(subject);
      const edges = [undefined, ...pages.map(({ position }) => position), undefined];
      // In steps of one page, and of two, so that a span holds whole pages and parts of them.
      for (const step of [1, 2]) {
        const ends = edges.filter((_, index) => index % step === 0 || index === edges.length - 1);
        const parts: HarnessRow[] = [];
        for (const [index, from] of ends.slice(0, -1).entries()) {
          const span = { from, to: ends[index + 1] };
          const part = await subject.rows({ ...span, pageRowsMax: 3 });
          await subject.mustMeasure(span, part.length);
          parts.push(...part);
        }
        mustBeRows(parts, rows, `in ${ends.length - 1} neighbouring spans`);
      }
      const middle = pages[1]?.position;
      const none = await subject.rows({ from: middle, to: middle });
      mustBe(none.length === 0, "no row in a span that ends where it begins", `${none.length}`);
    },
  },
  {
    id: "R8",
    title: "keeps its position through JSON",
    why: "A position is kept in the store as JSON: if JSON changes it, the next run begins at another place.",
    run: async (subject) => {
      // Every page's position is checked against the schema and against its own JSON as it comes.
      const { rows, pages } = await readWhole(subject);
      for (const { before, position } of boundaries(pages)) {
        // As a checkpoint is stored, read, and stored again.
        const kept: unknown = JSON.parse(JSON.stringify(subject.source.position.parse(position)));
        const rest = await subject.rows({ from: subject.source.position.parse(kept) });
        mustBeRows([...before, ...rest], rows, "when a read continues from a stored position");
      }
    },
  },
  {
    id: "R9",
    title: "never lets its position run ahead of its rows, or fall behind",
    why:
      "The checkpoint is saved with a page: rows that it covers and that did not come yet are lost, those " +
      "it leaves out come twice.",
    run: async (subject) => {
      const { pages } = await readWhole(subject);
      for (const { before, position } of boundaries(pages)) {
        if (before.length === 0) continue;
        const covered = await subject.rows({ to: position, pageRowsMax: 3 });
        mustBeRows(covered, before, `up to the position after ${before.length} rows`);
      }
    },
  },
];

/** Reads enough rows for six pages of four, which end between rows of one change, and between changes. */
async function readWhole(
  subject: Subject,
): Promise<{ readonly rows: readonly HarnessRow[]; readonly pages: readonly ReadPage[] }> {
  const rows = makeRows(23);
  await subject.holds(rows);
  const pages = await subject.read({ pageRowsMax: 4 });
  mustBeRows(
    pages.flatMap((page) => page.rows),
    rows,
    "in pages of 4",
  );
  mustBe(pages.length > 1, `more than one page of 4 for ${rows.length} rows`, "one");
  return { rows, pages };
}

/** Each page's position, with the rows up to there. */
function boundaries(
  pages: readonly ReadPage[],
): readonly { readonly before: readonly HarnessRow[]; readonly position: unknown }[] {
  return pages.map(({ position }, index) => {
    const before = pages.slice(0, index + 1).flatMap(({ rows }) => rows);
    return { before, position };
  });
}
