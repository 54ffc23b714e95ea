import { isDeepStrictEqual } from "node:util";

import type { Reject, Span } from "../../../connectors/contract/connector.ts";
import type { TestCase } from "../../case.ts";
import { mustBe } from "../../failed.ts";
import type { ReadPage, Subject } from "../../subject.ts";
import { mustBePlaced, mustBeCaseRows, mustCome, mustThrow, placesOf, rowsOf } from "./rows.ts";

/** Tries the abilities that read some of a case. @throws {CheckFailed} */
export async function tryCuts(
  subject: Subject,
  testCase: TestCase,
  pages: readonly ReadPage[],
): Promise<void> {
  await tryLimit(subject, testCase);
  await tryGet(subject, testCase, pages);
  for (const parts of [2, 3] as const) await trySplit(subject, testCase, parts);
}

/** With a limit, fewer rows may come, but none may differ; a read without rows shows nothing. */
async function tryLimit(subject: Subject, { rows = [] }: TestCase): Promise<void> {
  // With a limit of 3, the second page lacks one row.
  for (const limit of [1, 3]) {
    const pages = await subject.read({ limit, pageRowsMax: 2 });
    const came = rowsOf(pages);
    // For a limit, a reject counts as a row.
    const count = pages.reduce((sum, { rejects }) => sum + rejects.length, came.length);
    const expected = Math.min(limit, rows.length);
    const when = `with \`limit\` ${limit}`;
    mustBe(count >= expected, `${expected} rows at least ${when}`, String(count));
    mustBeCaseRows(came, rows.slice(0, came.length), when);
  }
}

/** Names of `get` at a time. */
const namesMax = 5;

async function tryGet(
  subject: Subject,
  { rows = [] }: TestCase,
  pages: readonly ReadPage[],
): Promise<void> {
  if (subject.source.get === undefined) return;
  await tryGetRejects(subject, pages);
  const named = pages.flatMap(({ raw }) =>
    raw.rows.map((_, index) => ({ name: raw.where(index), text: raw.text?.(index) })),
  );
  const places = new Map(named.map(({ name }, index) => [name, index]));
  mustBe(places.size === rows.length, `${rows.length} places of rows`, String(places.size));
  const inReverse = [...places.keys()].toReversed();
  for (let at = 0; at < inReverse.length; at += namesMax) {
    const names = inReverse.slice(at, at + namesMax);
    const got = await subject.source.get({ ...subject.request(), names });
    mustBe(got.missing.length === 0, "no row to be missing", String(got.missing.length));
    const indexes = got.rows.map((_, index) => places.get(got.where(index)) ?? -1);
    const expected = indexes.map((index) => rows[index] ?? {});
    mustBe(new Set(indexes).size === names.length, `${names.length} rows by name`, "others");
    mustBeCaseRows(got.rows, expected, "by their names");
    const texts = got.rows.map((_, index) => got.text?.(index));
    const isText = isDeepStrictEqual(
      texts,
      indexes.map((index) => named[index]?.text),
    );
    mustBe(isText, "what was read of rows as `read` gives it", "another text");
  }
}

/** A line that was refused has a name as well: it is asked for when somebody may have fixed it. */
async function tryGetRejects(subject: Subject, pages: readonly ReadPage[]): Promise<void> {
  const { source } = subject;
  const rejects = pages.flatMap((page) => page.rejects);
  if (source.placesAreLines !== true || rejects.length === 0) return;
  const names = rejects.map(({ where }) => where);
  const got = await source.get?.({ ...subject.request(), names: [...names, nowhere] });
  const isSame = isDeepStrictEqual(got?.rejects?.map(withoutPlace), rejects.map(withoutPlace));
  mustBe(isSame, `${rejects.length} rejects by their names`, `${got?.rejects?.length ?? 0}`);
  mustBe(
    isDeepStrictEqual(got?.missing, [nowhere]),
    "a name that is not there to be missing",
    "others",
  );
}

/** A reject without its place in its page: it is in another page. */
function withoutPlace(reject: Reject): Reject {
  return { ...reject, rowsBefore: undefined };
}

/** A name that no row has. */
const nowhere = "nowhere:0";

/** The first and the last row of a span by their names, within that span. */
async function tryGetWithin(
  subject: Subject,
  span: Span<unknown>,
  pages: readonly ReadPage[],
): Promise<void> {
  const [first] = placesOf(pages);
  const last = placesOf(pages).at(-1);
  const rows = rowsOf(pages);
  if (first === undefined || last === undefined || subject.source.get === undefined) return;
  const names = [...new Set([first, last])];
  const got = await subject.source.get({ ...subject.request(), ...span, names });
  const expected = rows.length > 1 ? [rows[0] ?? {}, rows.at(-1) ?? {}] : rows;
  const came = names.map((name) => got.rows.find((_, index) => got.where(index) === name) ?? {});
  mustBeCaseRows(came, expected, "by their names within their part");
}

async function trySplit(subject: Subject, testCase: TestCase, parts: 2 | 3): Promise<void> {
  const { splits = {} } = testCase;
  const cut = await subject.source.split?.({ ...subject.request(), parts });
  if (cut === undefined) return;
  const came: ReadPage[] = [];
  const sizes: number[] = [];
  for (const part of cut) {
    const span = keptSpan(subject, part);
    const pages = await subject.read(span);
    came.push(...pages);
    sizes.push(rowsOf(pages).length);
    // Where a line begins is known before it is read.
    const isEmpty = subject.source.placesAreLines === true && pages.length === 0 && cut.length > 1;
    mustBe(!isEmpty, `rows in each of ${cut.length} parts`, "none in one");
    await tryGetWithin(subject, span, pages);
  }
  mustCome(came, testCase, `in ${cut.length} parts`);
  const expected = splits[parts] ?? sizes;
  mustBe(isDeepStrictEqual(sizes, expected), `parts of ${expected.join(", ")}`, sizes.join(", "));
}

function keptSpan(subject: Subject, { from, to }: Span<unknown>): Span<unknown> {
  const kept = (edge: unknown): unknown => (edge === undefined ? undefined : subject.kept(edge));
  return { from: kept(from), to: kept(to) };
}

/** Tries the positions that cover everything before a place, or before a time. @throws {CheckFailed} */
export async function tryEdges(subject: Subject, testCase: TestCase): Promise<void> {
  const { source } = subject;
  const { rows = [], rejects = [], places = {}, times = {} } = testCase;
  const asked = [
    ...Object.entries(places).map(([place, count]) => {
      const find = async (): Promise<unknown> =>
        await source.before?.({ ...subject.request(), place });
      return { what: `before ${place}`, count, find };
    }),
    ...Object.entries(times).map(([time, count]) => {
      const when = new Date(time);
      const find = async (): Promise<unknown> => source.at?.({ config: subject.config(), when });
      return { what: `before ${time}`, count, find };
    }),
  ];
  const isAny = asked.some(({ count }) => typeof count === "number");
  const whole = isAny ? placesOf(await subject.read()) : [];
  for (const { what, count, find } of asked) {
    if (typeof count !== "number") {
      const thrown = count === false ? { code: "ConfigError" } : count;
      await mustThrow(thrown, async () => void (await find()), what);
      continue;
    }
    const edge = subject.kept(await find());
    const before = await subject.read({ to: edge });
    mustBeCaseRows(rowsOf(before), rows.slice(0, count), what);
    await tryGetWithin(subject, { to: edge }, before);
    const after = await subject.read({ from: edge });
    mustBeCaseRows(rowsOf(after), rows.slice(count), `not ${what}`);
    const bothSides = [...before, ...after].flatMap((page) => page.rejects).length;
    const all = `${rejects.length} rejects before and after it, ${what}`;
    mustBe(bothSides === rejects.length, all, String(bothSides));
    mustBePlaced(after, whole.slice(count), `not ${what}`);
  }
}
