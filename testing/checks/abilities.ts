import { isDeepStrictEqual } from "node:util";

import type { Got, Row, Span } from "../../connectors/contract/connector.ts";
import { ConfigError, SourceChangedError } from "../../src/errors.ts";
import type { Check } from "../check.ts";
import { mustBe, needed, NotShown } from "../failed.ts";
import type { HarnessRow } from "../harness.ts";
import { idsOf, makeRows, microsOf, mustBeRows, timeOf } from "../rows.ts";
import type { Subject } from "../subject.ts";
import { comingAgain } from "./again.ts";
import { recognizing } from "./recognize.ts";
import { checking, discovering } from "./setup.ts";
import { writing } from "./write.ts";

/** Names that `get` is asked for at a time. */
const namesMax = 7;

/** Fails unless a span holds exactly these rows, which may be none. */
async function mustHold(
  subject: Subject,
  span: Span<unknown>,
  told: { readonly rows: readonly HarnessRow[]; readonly when: string },
): Promise<void> {
  const came = await subject.rows(span);
  if (told.rows.length > 0) return mustBeRows(came, told.rows, told.when);
  const ids = idsOf(came.map(({ id }) => id));
  mustBe(came.length === 0, `no row ${told.when}`, `${came.length} (${ids})`);
}

const atTime: Check = {
  id: "A1",
  title: "covers with `at` exactly what changed before a time",
  why:
    "A backfill reads from one such position to another: if they cover too much, rows are lost, and if too " +
    "little, rows are read in vain.",
  run: async (subject) => {
    const at = needed(subject.source.at?.bind(subject.source), "the connector has no `at`");
    const since = new Date("2024-03-31T00:59:59.998Z");
    try {
      at({ config: subject.config(), when: since });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new NotShown(`with the harness's config, \`at\` takes no time: ${error.message}`);
    }
    // Four changes in each millisecond, the first at its beginning.
    const rows = makeRows(40, { since, stepMicros: 250 });
    await subject.holds(rows);
    let from: unknown;
    let start = "";
    for (let ms = 0; ms < 6; ms += 1) {
      const when = new Date(since.getTime() + ms);
      const end = timeOf(microsOf(when));
      const to = subject.kept(at({ config: subject.config(), when }));
      const before = rows.filter(({ changed }) => changed < end);
      const rest = rows.filter(({ changed }) => changed >= end);
      const between = before.filter(({ changed }) => changed >= start);
      await mustHold(subject, { to }, { rows: before, when: "up to the `at` of a time" });
      await mustHold(subject, { from: to }, { rows: rest, when: "from the `at` of a time on" });
      await mustHold(subject, { from, to }, { rows: between, when: "between two times" });
      from = to;
      start = end;
    }
  },
};

const splitting: Check = {
  id: "A2",
  title: "cuts a span with `split` into parts that hold it exactly",
  why: "The lanes of a backfill read a part each: a row between two parts is lost, and one in both is sent twice.",
  run: async (subject) => {
    needed(subject.source.split?.bind(subject.source), "the connector has no `split`");
    const rows = makeRows(40);
    await subject.holds(rows);
    const pages = await subject.read();
    const [from, to] = [pages[1]?.position, pages.at(-2)?.position];
    mustBe(pages.length > 4, "40 rows in more than 4 pages of 7", `${pages.length} pages`);
    for (const parts of [1, 2, 4]) {
      await mustSplit(subject, { parts, span: {}, rows });
      const inner = pages.slice(2, -1).flatMap((page) => page.rows);
      await mustSplit(subject, { parts, span: { from, to }, rows: inner });
    }
    await subject.holds([]);
    for (const span of await split(subject, {}, 4)) {
      await mustHold(subject, span, { rows: [], when: "in a part of an empty source" });
    }
  },
};

async function split(
  subject: Subject,
  span: Span<unknown>,
  parts: number,
): Promise<readonly Span<unknown>[]> {
  const cut = (await subject.source.split?.({ ...subject.request(), ...span, parts })) ?? [];
  const kept = (edge: unknown): unknown => (edge === undefined ? undefined : subject.kept(edge));
  return cut.map(({ from, to }) => ({ from: kept(from), to: kept(to) }));
}

async function mustSplit(
  subject: Subject,
  asked: {
    readonly parts: number;
    readonly span: Span<unknown>;
    readonly rows: readonly HarnessRow[];
  },
): Promise<void> {
  const { parts, span, rows } = asked;
  const cut = await split(subject, span, parts);
  const isFew = cut.length >= 1 && cut.length <= parts;
  mustBe(isFew, `1 to ${parts} parts`, String(cut.length));
  const edges = [span.from, ...cut.slice(1).map(({ from }) => from)];
  const ends = [...cut.slice(0, -1).map(({ to }) => to), span.to];
  const hasEdges = cut.every(
    ({ from, to }, index) =>
      isDeepStrictEqual(from, edges[index]) && isDeepStrictEqual(to, ends[index]),
  );
  const areShared = cut.every((part, index) => {
    const next = cut[index + 1];
    return next === undefined || (part.to !== undefined && isDeepStrictEqual(part.to, next.from));
  });
  const expected = "parts that begin and end with their span and share their edges";
  mustBe(hasEdges && areShared, expected, `${cut.length} parts that do not`);
  const came: HarnessRow[] = [];
  for (const part of cut) came.push(...(await subject.rows(part)));
  mustBeRows(came, rows, `in ${cut.length} parts`);
}

const getting: Check = {
  id: "A3",
  title: "gives with `get` the rows that `read` gives",
  why:
    "Rejects are sent again by the names that `read` gave them: a row that is not found by its own " +
    "name, or another one in its place, can never be fixed.",
  run: async (subject) => {
    needed(subject.source.get?.bind(subject.source), "the connector has no `get`");
    const rows = makeRows(20);
    await subject.holds(rows);
    const pages = await subject.read();
    const named = namesOf(pages);
    const places = new Map([...named.keys()].map((place) => [place, place]));
    await mustGet(subject, { span: {}, names: places }, named);
    const from = pages[0]?.position;
    const rest = namesOf(await subject.read({ from }));
    const restPlaces = new Map([...rest.keys()].map((place) => [place, place]));
    await mustGet(subject, { span: { from }, names: restPlaces }, rest);
    // A key says nothing about lines of files.
    if (subject.source.placesAreLines !== true) {
      const ids = new Map([...named].map(([place, { row }]) => [row.id, place]));
      await mustGet(subject, { span: {}, names: ids }, named);
    }
    await mustMiss(subject, pages, rows);
  },
};

type Pages = Awaited<ReturnType<Subject["read"]>>;

/** A row as it came, and as the harness wrote it. */
type Both = { readonly raw: Row; readonly row: HarnessRow };
type Named = ReadonlyMap<string, Both>;

/** The rows of pages by their places. */
function namesOf(pages: Pages): Named {
  const named = new Map<string, Both>();
  for (const { rows, raw } of pages) {
    for (const [index, row] of rows.entries()) {
      named.set(raw.where(index), { row, raw: raw.rows[index] ?? {} });
    }
  }
  return named;
}

async function got(
  subject: Subject,
  span: Span<unknown>,
  names: readonly string[],
): Promise<Got<Row>> {
  const request = { ...subject.request(), ...span, names };
  return (await subject.source.get?.(request)) ?? { rows: [], where: () => "", missing: names };
}

/** Fails unless each name gives the row of its place; asked for from the last to the first, so that no order helps. */
async function mustGet(
  subject: Subject,
  asked: { readonly span: Span<unknown>; readonly names: ReadonlyMap<string, string> },
  named: Named,
): Promise<void> {
  const names = [...asked.names.keys()].toReversed();
  mustBe(names.length > namesMax, `more than ${namesMax} places`, `${names.length} of them`);
  for (let begin = 0; begin < names.length; begin += namesMax) {
    const some = names.slice(begin, begin + namesMax);
    const expected = new Map(
      some.flatMap((name) => {
        const place = asked.names.get(name) ?? "";
        const both = named.get(place);
        return both === undefined ? [] : [[place, both] as const];
      }),
    );
    mustBeGot(await got(subject, asked.span, some), expected);
  }
}

function mustBeGot({ rows, where, missing, rejects = [] }: Got<Row>, expected: Named): void {
  const whole = `${expected.size} rows by their names`;
  mustBe(missing.length === 0, whole, `${missing.length} said to be missing`);
  mustBe(rejects.length === 0, whole, `${rejects.length} rejects`);
  mustBe(rows.length === expected.size, whole, `${rows.length} rows`);
  const places = rows.map((_, index) => where(index));
  const wrong = places.filter((place, index) => !isRow(rows[index], expected.get(place)));
  const isEach = wrong.length === 0 && new Set(places).size === expected.size;
  mustBe(isEach, `${whole}, each as \`read\` gave it`, `${wrong.length} that differ`);
}

/** Compares only cells, whatever the two objects are made of. */
function isRow(came: Row | undefined, expected: Both | undefined): boolean {
  return expected !== undefined && isDeepStrictEqual({ ...came }, { ...expected.raw });
}

/**
 * Fails unless a row that was taken out is said to be missing, or the source says that names mean nothing to
 * it any more.
 */
async function mustMiss(
  subject: Subject,
  pages: Pages,
  rows: readonly HarnessRow[],
): Promise<void> {
  const named = namesOf(pages);
  const [gone = "", kept = ""] = named.keys();
  await subject.holds(rows.filter(({ id }) => id !== named.get(gone)?.row.id));
  try {
    const {
      rows: came,
      missing,
      where,
    } = await got(subject, { to: pages.at(-1)?.position }, [gone, kept]);
    const isSaid = isDeepStrictEqual(missing, [gone]);
    mustBe(isSaid, "the row that was taken out to be `missing`", `${missing.length} names`);
    const isKept = came.length === 1 && isRow(came[0], named.get(kept));
    mustBe(isKept, "the row that was asked for besides", `${came.length} rows`);
    mustBe(where(0) === kept, "that row by its own name", "another name");
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
  }
}

/** A1 to A6, A9 and A10: the promises of a connector besides `read`. */
export const abilityChecks: readonly Check[] = [
  atTime,
  splitting,
  getting,
  checking,
  discovering,
  writing,
  recognizing,
  comingAgain,
];
