import { isDeepStrictEqual } from "node:util";

import type { Measure, Row, Span } from "../../../connectors/contract/connector.ts";
import type { TestCase } from "../../case.ts";
import { cellsTold } from "../../cells.ts";
import { mustBe } from "../../failed.ts";
import type { ReadPage, Subject } from "../../subject.ts";
import { tryEdges } from "./cuts.ts";
import { mustBeCaseRows, mustFind, rowsOf } from "./rows.ts";
import { tryWriting } from "./writes.ts";

/** Tries the abilities besides `read`, and the expectations for the whole source. @throws {CheckFailed} */
export async function tryAbilities(
  subject: Subject,
  testCase: TestCase,
  pages: readonly ReadPage[],
): Promise<void> {
  mustTellCells(pages, testCase);
  await tryCheck(subject, testCase);
  await tryReadLimit(subject, testCase);
  await tryMeasure(subject, testCase, pages);
  await tryLogs(subject, testCase);
  await tryColumns(subject, testCase);
  await tryRepeats(subject, testCase);
  await tryOverlap(subject, testCase, pages);
  await tryNames(subject, testCase);
  await tryEdges(subject, testCase);
  await tryDiscover(subject, testCase);
  await tryRecognizings(subject, testCase, pages);
  for (const writing of testCase.writes ?? []) await tryWriting(subject, writing);
}

function mustTellCells(pages: readonly ReadPage[], { cells }: TestCase): void {
  if (cells === undefined) return;
  const told = pages.reduce((sum, { raw }) => sum + (raw.cells ? cellsTold(raw.cells) : 0), 0);
  mustBe(told === cells, `${cells} cells that bytes alone give`, String(told));
}

async function tryCheck(subject: Subject, { findings = [] }: TestCase): Promise<void> {
  const found = (await subject.source.check?.(subject.request())) ?? [];
  const told = new Set(findings.filter(({ ok }) => ok === false).map(({ name }) => name));
  const faults = found.filter(({ name, ok }) => !ok && !told.has(name)).map(({ name }) => name);
  mustBe(faults.length === 0, "`check` to find it all right", `a fault in ${faults.join(", ")}`);
  mustFind(found, findings);
}

async function tryReadLimit(subject: Subject, { readLimit = {} }: TestCase): Promise<void> {
  if (Object.keys(readLimit).length === 0) return;
  const came = { ...(await subject.source.readLimit?.(subject.request())) };
  const isSame = isDeepStrictEqual({ ...came, ...readLimit }, came);
  mustBe(isSame, "the `readLimit` that it has", "another");
  const { to } = came;
  if (to === undefined) return;
  // It may end before the read limit, where no row is near: a wrong clock must not carry it past rows to come.
  const pages = await subject.read({ to });
  await mustFollow(subject, pages, to);
  const last = pages.at(-1)?.position;
  const left = last === undefined ? [] : await subject.rows({ from: last, to: subject.kept(to) });
  mustBe(
    left.length === 0,
    "a read up to the read limit to end after its rows",
    "an end before them",
  );
}

/** Where its bytes are counted, those up to a page's end and those after it must add up to all. */
async function tryMeasure(
  subject: Subject,
  { measure = {} }: TestCase,
  pages: readonly ReadPage[],
): Promise<void> {
  const measured = async (span: Span<unknown>): Promise<Partial<Measure>> => ({
    ...(await subject.source.measure?.({ ...subject.request(), ...span })),
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

async function tryLogs(subject: Subject, { logs }: TestCase): Promise<void> {
  if (logs === undefined) return;
  const before = subject.logged.length;
  await subject.read();
  const lines = subject.logged.slice(before);
  const isLogged = logs.every((piece, index) => lines[index]?.includes(piece));
  const expected = `${logs.length} lines in the log that say so`;
  mustBe(isLogged && lines.length === logs.length, expected, `${lines.length} lines`);
}

async function tryColumns(subject: Subject, { columns }: TestCase): Promise<void> {
  if (columns === undefined) return;
  const named = await subject.source.columns?.(subject.request());
  const came = named === undefined ? "none" : named.join(", ");
  mustBe(isDeepStrictEqual(named, columns), `\`columns\` to be ${columns.join(", ")}`, came);
}

async function tryRepeats(subject: Subject, { repeats = {} }: TestCase): Promise<void> {
  for (const [names, expected] of Object.entries(repeats)) {
    const columns = names.split(", ");
    const came =
      subject.source.repeats === undefined
        ? "once"
        : await subject.source.repeats({ ...subject.request(), columns });
    const told = came ?? "unknown";
    mustBe(told === expected, `\`repeats\` of ${names} to be ${expected}`, told);
  }
}

/** Tries the rows that the next run begins with. */
async function tryOverlap(
  subject: Subject,
  { rows = [], overlap = 0, readLimit }: TestCase,
  pages: readonly ReadPage[],
): Promise<void> {
  const position = pages.at(-1)?.position;
  if (position === undefined || subject.source.restart?.(subject.config()) === "each-run") return;
  const again = rowsOf(
    await subject.read({
      from: await subject.rewound({ position, oldestOpen: readLimit?.oldestOpen }),
    }),
  );
  const when = `in the next run, as the case's \`overlap\` says`;
  mustBeCaseRows(again, rows.slice(rows.length - overlap), when);
  await mustFollow(subject, pages);
}

/** Rows that the next run goes back over, although their pages say that it does not, would be sent once more. */
async function mustFollow(
  subject: Subject,
  pages: readonly ReadPage[],
  to?: unknown,
): Promise<void> {
  const last = pages.findLastIndex(({ raw }) => raw.mayComeAgain === false);
  if (last === -1) return;
  const followed = pages.slice(last + 1).flatMap(({ rows }) => rows);
  const from = await subject.rewound({ position: pages.at(-1)?.position });
  const again = await subject.rows({ from, to: to === undefined ? undefined : subject.kept(to) });
  const came = `${again.length} rows`;
  mustBe(
    again.length <= followed.length,
    "only rows in the next run of pages without `mayComeAgain: false`",
    came,
  );
}

/** Names as a person may write them, right ones and wrong ones. */
async function tryNames(subject: Subject, { rows = [], names }: TestCase): Promise<void> {
  if (names === undefined) return;
  const got = await subject.source.get?.({ ...subject.request(), names: Object.keys(names) });
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

/** Compares only cells, whatever the two are made of. */
function isSameRow(one: Row, other: Row): boolean {
  return isDeepStrictEqual({ ...one }, { ...other });
}

async function tryRecognizings(
  subject: Subject,
  { recognizings = [] }: TestCase,
  pages: readonly ReadPage[],
): Promise<void> {
  if (recognizings.length === 0) return;
  const { identity: told } = await subject.recognized({});
  const position = pages.at(-1)?.position;
  for (const [index, recognizing] of recognizings.entries()) {
    const asked = `by \`recognizings[${index}]\``;
    await recognizing.change?.();
    const known = recognizing.known === undefined ? told : recognizing.known(told);
    const came = await subject.recognized({ known, position });
    const { differs, beginsAnew = false, identity = {}, shown = "" } = recognizing;
    const isSaid =
      differs === undefined ? came.differs === undefined : came.differs?.includes(differs);
    mustBe(isSaid === true, `${sameness(differs)} ${asked}`, sameness(came.differs));
    mustBe(
      (came.beginsAnew ?? false) === beginsAnew,
      `\`beginsAnew\` to be ${beginsAnew} ${asked}`,
      "the other",
    );
    const name = `a source with "${shown}" in \`shown\` ${asked}`;
    mustBe(came.shown.includes(shown), name, `"${came.shown}"`);
    const isSame = isDeepStrictEqual(
      { ...Object(came.identity), ...identity },
      Object(came.identity),
    );
    mustBe(isSame, `the identity that it has ${asked}`, "another");
  }
}

function sameness(differs: string | undefined): string {
  return differs === undefined ? "the same source" : `one with \`differs: "${differs}"\``;
}

const discoveriesMax = 50;

async function tryDiscover(subject: Subject, { discoveries = [] }: TestCase): Promise<void> {
  if (discoveries.length === 0) return;
  const max = discoveriesMax;
  const found = (await subject.source.discover?.({ ...subject.request(), max })) ?? [];
  for (const expected of discoveries) {
    const one = found.find(({ name }) => name === expected.name);
    mustBe(one !== undefined, `${expected.name} to be discovered`, `${found.length} others`);
    const isSame = isDeepStrictEqual(one, expected);
    mustBe(isSame, `${expected.name} to be discovered as it is`, "something else of it");
  }
}
