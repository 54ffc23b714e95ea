import { isDeepStrictEqual } from "node:util";

import type { Check } from "../check.ts";
import { mustBe } from "../failed.ts";
import { makeRows, mustBeRows } from "../rows.ts";
import { usualPageRows, type ReadPage, type Subject } from "../subject.ts";

/** R1 to R3, R10, R11 and R17: a read yields every row once, whatever the number of rows and of readers. */
export const wholeChecks: readonly Check[] = [
  {
    id: "R1",
    title: "reads the same rows twice",
    why:
      "A chunk is staged again after a crash: rows that come in another order then, or with other " +
      "positions, are sent twice or not at all.",
    run: readsTheSame,
  },
  {
    id: "R2",
    title: "reads the whole source, each row once",
    why: "A row that a whole read leaves out is never sent, and nothing else would notice.",
    run: readsWhole,
  },
  {
    id: "R3",
    title: "reads 1,000 rows that changed in the same microsecond",
    why:
      "One statement stamps all its rows alike: a page that ends among them loses the others, unless the " +
      "position says which they were.",
    run: readsTies,
  },
  {
    id: "R10",
    title: "reads an empty source",
    why: "A source may well be empty once, and rows put in after that must come with the next run.",
    run: readsEmpty,
  },
  {
    id: "R11",
    title: "reads one row, exactly a page, and a page and one",
    why: "Where a page ends exactly with the source, the last row is lost or a read never ends.",
    run: async (subject) => {
      const sizes = [1, usualPageRows - 1, usualPageRows, usualPageRows + 1, 2 * usualPageRows];
      for (const size of sizes) {
        const rows = makeRows(size);
        await subject.holds(rows);
        const what = `of a source of ${size} in pages of ${usualPageRows}`;
        mustBeRows(await subject.rows(), rows, what);
      }
    },
  },
  {
    id: "R17",
    title: "reads twice at the same time",
    why:
      "The lanes of a backfill read one source together: things that a connector keeps outside its read are " +
      "then the other's.",
    run: readsInterleaved,
  },
];

async function readsWhole(subject: Subject): Promise<void> {
  const rows = makeRows(50);
  await subject.holds(rows);
  for (const pageRowsMax of [usualPageRows, 1_000]) {
    const pages = await subject.read({ pageRowsMax });
    mustBeRows(rowsOf(pages), rows, `in pages of ${pageRowsMax}`);
    await mustNameColumns(subject, pages);
  }
  await subject.mustMeasure({}, rows.length);
}

/** @throws {CheckFailed} rows have columns that `columns` does not name. */
async function mustNameColumns(subject: Subject, pages: readonly ReadPage[]): Promise<void> {
  const named = await subject.source.columns?.(subject.request());
  if (named === undefined) return;
  const read = new Set(pages.flatMap(({ raw }) => raw.rows.flatMap((row) => Object.keys(row))));
  const unnamed = [...read].filter((name) => !named.includes(name));
  mustBe(
    unnamed.length === 0,
    `\`columns\` to name each of ${read.size} columns of the rows`,
    `not ${unnamed.length} of them`,
  );
}

async function readsTheSame(subject: Subject): Promise<void> {
  const rows = makeRows(50);
  await subject.holds(rows);
  const [first, second] = [await subject.read(), await subject.read()];
  mustBeRows(rowsOf(first), rows, "in a first read");
  mustBeRows(rowsOf(second), rows, "in a second read");
  const isSame = isDeepStrictEqual(rowsOf(first), rowsOf(second));
  mustBe(isSame, "two reads to give the rows in one order", "two orders");
  // Pages may end elsewhere; where they end alike, their positions must be the same.
  const others = positionsOf(second);
  const differing = [...positionsOf(first)].filter(
    ([count, position]) => others.has(count) && !isDeepStrictEqual(position, others.get(count)),
  );
  mustBe(
    differing.length === 0,
    "the same position after the same rows",
    `another one after ${differing[0]?.[0]} of ${rows.length} rows`,
  );
}

function rowsOf(pages: readonly ReadPage[]): ReadPage["rows"] {
  return pages.flatMap(({ rows }) => rows);
}

/** The first position after each number of rows. */
function positionsOf(pages: readonly ReadPage[]): ReadonlyMap<number, unknown> {
  const positions = new Map<number, unknown>();
  let count = 0;
  for (const { rows, position } of pages) {
    count += rows.length;
    if (rows.length > 0) positions.set(count, position);
  }
  return positions;
}

async function readsTies(subject: Subject): Promise<void> {
  const rows = makeRows(1_000, { stepMicros: 0 });
  await subject.holds(rows);
  const pages = await subject.read({ pageRowsMax: 7 });
  mustBeRows(rowsOf(pages), rows, "of a source that changed all at once, in pages of 7");
  // As the engine asks: a source that gives fewer at a time has not come to its end.
  const large = await subject.rows({ pageRowsMax: 1_000 });
  mustBeRows(large, rows, "of a source that changed all at once, in pages of 1,000");
  const step = Math.ceil(pages.length / 5);
  for (let last = 0; last < pages.length; last += step) {
    const before = rowsOf(pages.slice(0, last + 1));
    const rest = await subject.rows({ from: pages[last]?.position, pageRowsMax: 100 });
    const when = `when a read continues after ${before.length} of ${rows.length} that changed at once`;
    mustBeRows([...before, ...rest], rows, when);
  }
}

async function readsEmpty(subject: Subject): Promise<void> {
  await subject.holds([]);
  const pages = await subject.read();
  mustBe(rowsOf(pages).length === 0, "no row of an empty source", `${rowsOf(pages).length}`);
  const rows = makeRows(3);
  await subject.holds(rows);
  mustBeRows(await subject.rows(), rows, "once there are some");
  const position = pages.at(-1)?.position;
  if (position === undefined || subject.source.restart?.(subject.config()) === "each-run") return;
  const from = await subject.rewound({ position });
  mustBeRows(await subject.rows({ from }), rows, "after the position of an empty read");
}

async function readsInterleaved(subject: Subject): Promise<void> {
  const rows = makeRows(40);
  await subject.holds(rows);
  const sizes = [3, 5];
  const reads = sizes.map((pageRowsMax) => {
    return { pages: subject.pages({ pageRowsMax }), rows: [] as ReadPage["rows"][], done: false };
  });
  while (reads.some(({ done }) => !done)) {
    for (const read of reads) {
      if (read.done) continue;
      const next = await read.pages.next();
      if (next.done === true) read.done = true;
      else read.rows.push(next.value.rows);
    }
  }
  for (const [index, read] of reads.entries()) {
    const when = `in pages of ${sizes[index]}, while another read continues`;
    mustBeRows(read.rows.flat(), rows, when);
  }
  // Each read waits for its answers while the other waits too: neither is between two pages then.
  const both = sizes.map(async (pageRowsMax) => await subject.rows({ pageRowsMax }));
  for (const read of await Promise.all(both)) {
    mustBeRows(read, rows, "while another read waits for its rows");
  }
}
