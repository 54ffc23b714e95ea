import { setTimeout as wait } from "node:timers/promises";

import { errorCodeOf } from "../../src/errors.ts";
import type { Check } from "../check.ts";
import { mustBe, needed, NotShown } from "../failed.ts";
import type { HarnessRow, PullHarness } from "../harness.ts";
import { idsOf, makeRows, microsOf, timeOf } from "../rows.ts";
import type { SubjectRead, Subject } from "../subject.ts";

/** R12 and R13: rows that change while a run reads come with this run or with the next. */
export const movingChecks: readonly Check[] = [
  {
    id: "R12",
    title: "loses no row that changes meanwhile",
    why:
      "Sources do not stand still: a change that neither the run that it happened in nor the next one sees " +
      "is never sent.",
    run: seesChanges,
  },
  {
    id: "R13",
    title: "finds a row that is committed late",
    why:
      "A transaction stamps its rows when it begins and shows them when it ends: by then a run may have " +
      "passed that time, and none ever looks back.",
    run: findsLateRow,
  },
];

/** Where a run began, how far it was to read, and where it got. */
type Run = {
  readonly rows: readonly HarnessRow[];
  readonly position: unknown;
  readonly oldestOpen: unknown;
};

/** Opens a run in the engine's order: first how far it may read, then how far back it must go. */
async function openRun(
  subject: Subject,
  last?: Run,
): Promise<{ readonly request: SubjectRead; readonly oldestOpen: unknown }> {
  const { to, oldestOpen } = (await subject.source.readLimit?.(subject.request())) ?? {};
  const from = last === undefined ? undefined : await subject.rewound(last);
  return { request: { from, to: keptBy(subject, to) }, oldestOpen: keptBy(subject, oldestOpen) };
}

function keptBy(subject: Subject, position: unknown): unknown {
  return position === undefined ? undefined : subject.kept(position);
}

async function makeRun(subject: Subject, last?: Run): Promise<Run> {
  const { request, oldestOpen } = await openRun(subject, last);
  const pages = await subject.read(request);
  const position = pages.at(-1)?.position ?? last?.position;
  return { rows: pages.flatMap(({ rows }) => rows), position, oldestOpen };
}

/** Rows that changed some minutes ago by the clock that stamps, so that rows that change now come after them. */
function recentRows(count: number): readonly HarnessRow[] {
  return makeRows(count, { since: new Date(Date.now() - 5 * 60_000), stepMicros: 1_000 });
}

/** A row that changes just now. */
function changedNow(id: string, text: string): HarnessRow {
  return { id, text, changed: timeOf(microsOf(new Date(Date.now() + 1)) + 1n) };
}

/** Waits until a time has passed by every clock of this computer. */
async function passed(time: Date): Promise<void> {
  const leftMs = time.getTime() + clockMs - Date.now();
  if (leftMs > 0) await wait(leftMs);
}

/** By how much the source's clock may differ from ours. */
const clockMs = 50;

async function seesChanges(subject: Subject): Promise<void> {
  const rows = recentRows(30);
  await subject.holds(rows);
  const { request, oldestOpen } = await openRun(subject);
  await passed(new Date());
  const seen: HarnessRow[] = [];
  const changed: HarnessRow[] = [];
  let position: unknown;
  try {
    for await (const page of subject.pages(request)) {
      seen.push(...page.rows);
      position = page.position;
      if (changed.length > 0 || page.rows.length === 0) continue;
      const wasSeen = new Set(seen.map(({ id }) => id));
      const unseen = rows.filter(({ id }) => !wasSeen.has(id)).map(({ id }) => id);
      const ids = [seen[0]?.id, unseen[0], unseen.at(-1), "1000"];
      for (const id of ids) if (id !== undefined) changed.push(changedNow(id, "changed meanwhile"));
      await subject.takes(changed);
      // The pages still to come are read after the change, so that a position made from the time passes it.
      await passed(new Date());
    }
  } catch (error) {
    if (!isSourceChanged(error)) throw error;
    // The source reports the change itself: then everything is read again.
    position = undefined;
  }
  mustBe(changed.length > 0, "rows in a first page", "none");
  await passed(new Date());
  const next = await makeRun(subject, { rows: seen, position, oldestOpen });
  const now = new Map([...rows, ...changed].map((row) => [row.id, row]));
  mustBeUpToDate([...seen, ...next.rows], [...now.values()]);
}

/** @throws {CheckFailed} a row did not come, or did not come last as it is now. */
function mustBeUpToDate(came: readonly HarnessRow[], now: readonly HarnessRow[]): void {
  const last = new Map(came.map((row) => [row.id, row]));
  const lost = now.filter(({ id }) => !last.has(id)).map(({ id }) => id);
  mustBe(
    lost.length === 0,
    `each of ${now.length} rows in this run or the next`,
    `${lost.length} in neither (${idsOf(lost)})`,
  );
  const old = now.filter(({ id, text }) => last.get(id)?.text !== text).map(({ id }) => id);
  mustBe(
    old.length === 0,
    "each changed row with its new value in this run or the next",
    `${old.length} with the old one alone, or with it last (${idsOf(old)})`,
  );
}

function isSourceChanged(error: unknown): boolean {
  return errorCodeOf(error) === "SourceChanged";
}

async function findsLateRow(subject: Subject): Promise<void> {
  const { harness } = subject;
  const commitLate = needed(harness.commitLate?.bind(harness), "the harness has no `commitLate`");
  const rows = recentRows(6);
  await subject.holds(rows);
  const { late, commit } = await beginLate(commitLate);
  // Another transaction begins later and ends sooner: a run that sees its row has passed the late one.
  const after: HarnessRow = {
    ...changedNow("1001", "in time"),
    changed: later(late.changed, 1_000),
  };
  let first: Run;
  try {
    await subject.takes([after]);
    await passed(new Date(after.changed));
    await losesNothingBefore(subject, [...rows, after]);
    first = await makeRun(subject);
  } finally {
    // Left open, it would hold up every check to come.
    await commit();
  }
  await passed(new Date());
  const second = await makeRun(subject, first);
  mustBe(first.rows.length > 0, "rows in a first run", "none");
  const came = new Set([...first.rows, ...second.rows].map(({ id }) => id));
  const lost = [...rows, after, late].filter(({ id }) => !came.has(id)).map(({ id }) => id);
  mustBe(
    lost.length === 0,
    "each row in the run before the late commit or in the one after it",
    lost.includes(late.id) ? "neither with the late row" : `${lost.length} rows in neither`,
  );
}

/** A run that ends early has not reached the open transaction: the next one continues where it ended, and not there. */
async function losesNothingBefore(subject: Subject, rows: readonly HarnessRow[]): Promise<void> {
  const { request, oldestOpen } = await openRun(subject);
  for await (const { rows: seen, position } of subject.pages({ ...request, pageRowsMax: 2 })) {
    const next = await makeRun(subject, { rows: seen, position, oldestOpen });
    const came = new Set([...seen, ...next.rows].map(({ id }) => id));
    const lost = rows.filter(({ id }) => !came.has(id)).map(({ id }) => id);
    const expected = "each row in a run that ends after its first page or in the next one";
    mustBe(lost.length === 0, expected, `${lost.length} in neither (${idsOf(lost)})`);
    break;
  }
}

/** Begins a transaction with a row that is stamped soon after: never before, as no source does that. */
async function beginLate(
  commitLate: NonNullable<PullHarness["commitLate"]>,
): Promise<{ readonly late: HarnessRow; readonly commit: () => Promise<void> }> {
  for (const leadMs of [300, 1_000, 3_000]) {
    const stamp = new Date(Date.now() + leadMs);
    const late = { id: String(2_000 + leadMs), text: "late", changed: timeOf(microsOf(stamp)) };
    const commit = await commitLate(late);
    if (Date.now() < stamp.getTime()) return { late, commit };
    await commit();
  }
  throw new NotShown("the harness takes seconds to begin a transaction");
}

function later(time: string, micros: number): string {
  return timeOf(microsOf(new Date(time)) + BigInt(micros));
}
