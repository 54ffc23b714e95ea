import { isDeepStrictEqual } from "node:util";

import type { Measure, Row, Span, Written } from "../../connectors/connector.ts";
import { mustBe } from "../failed.ts";
import type { Specimen, Writing } from "../specimen.ts";
import type { ReadPage, Subject } from "../subject.ts";
import {
  mustBePlaced,
  mustBeRows,
  mustCome,
  mustFind,
  mustThrow,
  placesOf,
} from "./specimen-rows.ts";

/** Tries what the connector can besides `read`, and what says something of the whole. @throws {CheckFailed} */
export async function tryAbilities(
  subject: Subject,
  specimen: Specimen,
  pages: readonly ReadPage[],
): Promise<void> {
  await tryCheck(subject, specimen);
  await tryHorizon(subject, specimen);
  await tryMeasure(subject, specimen, pages);
  await tryLogs(subject, specimen);
  await tryColumns(subject, specimen);
  await tryOverlap(subject, specimen, pages);
  await tryNames(subject, specimen);
  await tryEdges(subject, specimen);
  await tryDiscover(subject, specimen);
  for (const writing of specimen.writes ?? []) await tryWriting(subject, writing);
}

/** Tries the abilities that read some of a specimen. @throws {CheckFailed} */
export async function tryCuts(
  subject: Subject,
  specimen: Specimen,
  pages: readonly ReadPage[],
): Promise<void> {
  await tryLimit(subject, specimen);
  await tryGet(subject, specimen, pages);
  for (const parts of [2, 3] as const) await trySplit(subject, specimen, parts);
}

async function tryCheck(subject: Subject, { findings = [] }: Specimen): Promise<void> {
  const found = (await subject.source.check?.(subject.ask())) ?? [];
  const told = new Set(findings.filter(({ ok }) => ok === false).map(({ name }) => name));
  const faults = found.filter(({ name, ok }) => !ok && !told.has(name)).map(({ name }) => name);
  mustBe(faults.length === 0, "`check` to find it all right", `a fault in ${faults.join(", ")}`);
  mustFind(found, findings);
}

async function tryHorizon(subject: Subject, { horizon = {} }: Specimen): Promise<void> {
  if (Object.keys(horizon).length === 0) return;
  const came = { ...(await subject.source.horizon?.(subject.ask())) };
  const isSame = isDeepStrictEqual({ ...came, ...horizon }, came);
  mustBe(isSame, "the `horizon` that it has", "another");
  const { to } = came;
  if (to === undefined) return;
  const last = (await subject.read({ to })).at(-1)?.position;
  mustBe(
    isDeepStrictEqual(last, subject.kept(to)),
    "a read up to the horizon to end with it",
    "another end",
  );
}

/** Where its bytes are counted, those up to a page's end and those behind it are all there are. */
async function tryMeasure(
  subject: Subject,
  { measure = {} }: Specimen,
  pages: readonly ReadPage[],
): Promise<void> {
  const measured = async (span: Span<unknown>): Promise<Partial<Measure>> => ({
    ...(await subject.source.measure?.({ ...subject.ask(), ...span })),
  });
  const whole = await measured({});
  const isSame = isDeepStrictEqual({ ...whole, ...measure }, whole);
  mustBe(isSame, "the `measure` that it has", "another");
  if (whole.bytes === undefined) return;
  for (const { position } of pages) {
    const [to, from] = [await measured({ to: position }), await measured({ from: position })];
    if (to.exact !== true || from.exact !== true || to.bytes === undefined) continue;
    const bytes = to.bytes + (from.bytes ?? 0);
    mustBe(bytes === whole.bytes, `${whole.bytes} bytes in two spans`, String(bytes));
  }
}

async function tryLogs(subject: Subject, { logs }: Specimen): Promise<void> {
  if (logs === undefined) return;
  const before = subject.logged.length;
  await subject.read();
  const lines = subject.logged.slice(before);
  const isLogged = logs.every((piece, index) => lines[index]?.includes(piece));
  const expected = `${logs.length} lines in the log that say so`;
  mustBe(isLogged && lines.length === logs.length, expected, `${lines.length} lines`);
}

async function tryColumns(subject: Subject, { columns }: Specimen): Promise<void> {
  if (columns === undefined) return;
  const named = await subject.source.columns?.(subject.ask());
  const came = named === undefined ? "none" : named.join(", ");
  mustBe(isDeepStrictEqual(named, columns), `\`columns\` to be ${columns.join(", ")}`, came);
}

/** With a limit less may come, of which nothing differs; a read without rows has none to show. */
async function tryLimit(subject: Subject, { rows = [] }: Specimen): Promise<void> {
  // Behind the first page the second one lacks one row.
  for (const limit of [1, 3]) {
    const pages = await subject.read({ limit, pageRowsMax: 2 });
    const came = rowsOf(pages);
    // A reject is a row as well, as far as a limit goes.
    const count = pages.reduce((sum, { rejects }) => sum + rejects.length, came.length);
    const expected = Math.min(limit, rows.length);
    const when = `with \`limit\` ${limit}`;
    mustBe(count >= expected, `${expected} rows at least ${when}`, String(count));
    mustBeRows(came, rows.slice(0, came.length), when);
  }
}

/** What the next run begins with. */
async function tryOverlap(
  subject: Subject,
  { rows = [], overlap = 0, horizon }: Specimen,
  pages: readonly ReadPage[],
): Promise<void> {
  const position = pages.at(-1)?.position;
  if (position === undefined || subject.source.restart?.(subject.config()) === "each-run") return;
  const again = rowsOf(
    await subject.read({ from: subject.rewound({ position, held: horizon?.held }) }),
  );
  mustBeRows(again, rows.slice(rows.length - overlap), "in the next run");
}

/** Names of `get` at a time. */
const namesMax = 5;

async function tryGet(
  subject: Subject,
  { rows = [] }: Specimen,
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
    const got = await subject.source.get({ ...subject.ask(), names });
    mustBe(got.missing.length === 0, "no row to be missing", String(got.missing.length));
    const indexes = got.rows.map((_, index) => places.get(got.where(index)) ?? -1);
    const expected = indexes.map((index) => rows[index] ?? {});
    mustBe(new Set(indexes).size === names.length, `${names.length} rows by name`, "others");
    mustBeRows(got.rows, expected, "by their names");
    const texts = got.rows.map((_, index) => got.text?.(index));
    const isText = isDeepStrictEqual(
      texts,
      indexes.map((index) => named[index]?.text),
    );
    mustBe(isText, "what was read of rows as `read` gives it", "another text");
  }
}

/** Names as a person may write them, right ones and wrong ones. */
async function tryNames(subject: Subject, { rows = [], names }: Specimen): Promise<void> {
  if (names === undefined) return;
  const got = await subject.source.get?.({ ...subject.ask(), names: Object.keys(names) });
  const found = Object.values(names).filter((index) => index !== false);
  const wanted = [...new Set(found)].map((index) => rows[index] ?? {});
  const came = got?.rows ?? [];
  // Two names of one row may give it twice.
  const isEach =
    wanted.every((row) => came.some((one) => isSameRow(one, row))) &&
    came.every((one) => wanted.some((row) => isSameRow(one, row)));
  mustBe(isEach, "each row by its name", "others");
  const missing = Object.keys(names).filter((name) => names[name] === false);
  const isMissing = isDeepStrictEqual(got?.missing, missing);
  mustBe(isMissing, `${missing.length} names to be missing`, String(got?.missing.length));
}

/** Whatever the two are made of: only their cells count. */
function isSameRow(one: Row, other: Row): boolean {
  return isDeepStrictEqual({ ...one }, { ...other });
}

/** A line that was refused has a name as well: it is asked for when somebody may have mended it. */
async function tryGetRejects(subject: Subject, pages: readonly ReadPage[]): Promise<void> {
  const { source } = subject;
  const rejects = pages.flatMap((page) => page.rejects);
  if (source.placesAreLines !== true || rejects.length === 0) return;
  const names = rejects.map(({ where }) => where);
  const got = await source.get?.({ ...subject.ask(), names: [...names, nowhere] });
  const isSame = isDeepStrictEqual(got?.rejects, rejects);
  mustBe(isSame, `${rejects.length} rejects by their names`, `${got?.rejects?.length ?? 0}`);
  mustBe(
    isDeepStrictEqual(got?.missing, [nowhere]),
    "a name that is not there to be missing",
    "others",
  );
}

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
  const got = await subject.source.get({ ...subject.ask(), ...span, names });
  const expected = rows.length > 1 ? [rows[0] ?? {}, rows.at(-1) ?? {}] : rows;
  const came = names.map((name) => got.rows.find((_, index) => got.where(index) === name) ?? {});
  mustBeRows(came, expected, "by their names within their part");
}

/** What no row is called. */
const nowhere = "nowhere:0";

async function trySplit(subject: Subject, specimen: Specimen, parts: 2 | 3): Promise<void> {
  const { splits = {} } = specimen;
  const cut = await subject.source.split?.({ ...subject.ask(), parts });
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
  mustCome(came, specimen, `in ${cut.length} parts`);
  const expected = splits[parts] ?? sizes;
  mustBe(isDeepStrictEqual(sizes, expected), `parts of ${expected.join(", ")}`, sizes.join(", "));
}

function keptSpan(subject: Subject, { from, to }: Span<unknown>): Span<unknown> {
  const kept = (edge: unknown): unknown => (edge === undefined ? undefined : subject.kept(edge));
  return { from: kept(from), to: kept(to) };
}

/** What covers everything before a place, or before a time. @throws {CheckFailed} */
export async function tryEdges(subject: Subject, specimen: Specimen): Promise<void> {
  const { source } = subject;
  const { rows = [], rejects = [], places = {}, times = {} } = specimen;
  const asked = [
    ...Object.entries(places).map(([place, count]) => {
      const find = async (): Promise<unknown> => await source.before?.({ ...subject.ask(), place });
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
    mustBeRows(rowsOf(before), rows.slice(0, count), what);
    await tryGetWithin(subject, { to: edge }, before);
    const after = await subject.read({ from: edge });
    mustBeRows(rowsOf(after), rows.slice(count), `not ${what}`);
    const bothSides = [...before, ...after].flatMap((page) => page.rejects).length;
    const all = `${rejects.length} rejects before and behind it, ${what}`;
    mustBe(bothSides === rejects.length, all, String(bothSides));
    mustBePlaced(after, whole.slice(count), `not ${what}`);
  }
}

const discoveriesMax = 50;

async function tryDiscover(subject: Subject, { discoveries = [] }: Specimen): Promise<void> {
  if (discoveries.length === 0) return;
  const max = discoveriesMax;
  const found = (await subject.source.discover?.({ ...subject.ask(), max })) ?? [];
  for (const expected of discoveries) {
    const one = found.find(({ name }) => name === expected.name);
    mustBe(one !== undefined, `${expected.name} to be discovered`, `${found.length} others`);
    const isSame = isDeepStrictEqual(one, expected);
    mustBe(isSame, `${expected.name} to be discovered as it is`, "something else of it");
  }
}

async function tryWriting(subject: Subject, writing: Writing): Promise<void> {
  const { patches, answers = [], throws, leaves } = writing;
  const write = async (): Promise<readonly Written[]> =>
    (await subject.source.write?.({ ...subject.ask(), patches })) ?? [];
  const mustLeave = async (when: string): Promise<void> => {
    const left = await writing.left?.();
    mustBe(isDeepStrictEqual(left, leaves), `what was written to be there ${when}`, "others");
  };
  const mustAnswer = async (expected: NonNullable<Writing["answers"]>, when: string) => {
    const came = (await write()).map((one, index) => {
      const isTold = expected[index] !== "rejected";
      return "done" in one ? one.done : isTold ? one : "rejected";
    });
    const isSame = isDeepStrictEqual(came, expected);
    mustBe(isSame, `${shown(expected)} of patches ${when}`, shown(came) || "nothing");
    await mustLeave(when);
  };
  if (throws !== undefined) {
    await mustThrow(throws, async () => void (await write()), "by a write");
    if (leaves !== undefined) await mustLeave("by a write that throws");
    return;
  }
  await mustAnswer(answers, "once");
  const twice = answers.map((answer) => (answer === "written" ? "unchanged" : answer));
  await mustAnswer(twice, "twice");
}

function shown(answers: NonNullable<Writing["answers"]>): string {
  return answers.map((one) => (typeof one === "string" ? one : one.rejected)).join(", ");
}

function rowsOf(pages: readonly ReadPage[]): readonly Row[] {
  return pages.flatMap(({ raw }) => raw.rows);
}
