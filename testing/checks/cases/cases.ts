import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import type { TestCase } from "../../case.ts";
import type { Check } from "../../check.ts";
import { mustBe, needed } from "../../failed.ts";
import { Subject, type ReadPage } from "../../subject.ts";
import { tryAbilities } from "./abilities.ts";
import { tryCuts } from "./cuts.ts";
import { goOnMeanwhile, mustComeTo, mustRefuse, mustRefuseAlone } from "./refusals.ts";
import { mustBePlaced, mustCome, naming, placesOf } from "./rows.ts";

/** R21: cases that only one kind of source has. */
export const caseChecks: readonly Check[] = [
  {
    id: "R21",
    title: "reads its cases as the harness says",
    // A harness may have dozens of them, each of which is read a dozen times.
    msMax: 120_000,
    why:
      "Formats and servers have corners that no other source has: a source of plain rows does not show how a " +
      "connector reads them.",
    run: async ({ source, harness }) => {
      const cases = needed(harness.cases, "the harness has no `cases`");
      for (const testCase of cases) {
        await naming(testCase.what, async () => {
          const changes = await testCase.make();
          try {
            const config = { ...harness.config, ...changes };
            const ownHarness = { ...harness, config, rowOf: () => noRow };
            await leavingNoFile(async () => {
              await tryCase(new Subject(source, ownHarness), testCase);
            });
          } finally {
            await testCase.undo?.();
          }
        });
      }
    },
  },
];

/** Rows of cases are compared as they come. */
const noRow = { id: "", text: null, changed: "" };

async function tryCase(subject: Subject, testCase: TestCase): Promise<void> {
  const { throws, afterwards } = testCase;
  if (throws !== undefined) return await mustRefuse(subject, throws, testCase);
  const pages = await subject.read({ pageRowsMax: 3 });
  mustCome(pages, testCase, "in pages of 3");
  const large = await subject.read({ pageRowsMax: 1_000 });
  mustCome(large, testCase, "in pages of 1,000");
  const { pages: pageCount = large.length } = testCase;
  mustBe(large.length === pageCount, `${pageCount} pages of 1,000 rows`, String(large.length));
  if (testCase.isUncut !== true) {
    await tryBoundaries(subject, testCase);
    await tryCuts(subject, testCase, pages);
  }
  await tryAbilities(subject, testCase, pages);
  await mustRefuseAlone(subject, undefined, testCase);
  if (afterwards?.isMeanwhile === true) return await goOnMeanwhile(subject, afterwards);
  if (afterwards === undefined) return;
  await afterwards.change?.();
  const config = { ...subject.harness.config, ...afterwards.config };
  const changed = new Subject(subject.source, { ...subject.harness, config });
  const { startsOver = false } = afterwards;
  // The error that a read must throw may say just that the position means nothing any more.
  if (afterwards.throws === undefined) await mustRewind(changed, pages[0], startsOver);
  await mustComeTo(changed, startsOver ? undefined : pages[0], afterwards);
}

/** Fails unless the next run continues from the page, or starts over where the case says so. */
async function mustRewind(
  subject: Subject,
  page: ReadPage | undefined,
  startsOver: boolean,
): Promise<void> {
  const isEachRun = subject.source.restart?.(subject.config()) === "each-run";
  if (page === undefined || isEachRun) return;
  const isMeant = (await subject.rewound({ position: page.position })) !== undefined;
  const [expected, came] = ["a position that means nothing now", "one that is continued from"];
  if (startsOver) mustBe(!isMeant, expected, came);
  else mustBe(isMeant, "a position that is continued from", "one that means nothing now");
}

/** How long a file may take to close after a read: a stream does so a moment later. */
const closeMsMax = 1_000;

/** Fails when a file that was opened meanwhile stays open. */
async function leavingNoFile(work: () => Promise<void>): Promise<void> {
  const open = await openFiles();
  await work();
  const untilMs = performance.now() + closeMsMax;
  let left = (await openFiles()) - open;
  while (left > 0 && performance.now() < untilMs) {
    await wait(10);
    left = (await openFiles()) - open;
  }
  mustBe(left <= 0, "no file left open", `${left} of them`);
}

/** The number of files that this process has open; only Linux shows them. Devices, pipes and sockets do not count. */
async function openFiles(): Promise<number> {
  const folder = "/proc/self/fd";
  const names = await readdir(folder).catch((): string[] => []);
  const targets = await Promise.all(
    names.map(async (name) => await readlink(join(folder, name)).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith("/") && !target.startsWith("/dev/")).length;
}

/** About how many boundaries of a long case are tried. */
const boundariesMax = 12;

/** Continues from the end of each page, and reads up to it. */
async function tryBoundaries(subject: Subject, testCase: TestCase): Promise<void> {
  const { rows = [], rejects = [] } = testCase;
  const pages = await subject.read({ pageRowsMax: 2 });
  mustCome(pages, testCase, "in pages of 2");
  const step = Math.ceil(pages.length / boundariesMax);
  let [rowCount, rejectCount] = [0, 0];
  for (const [index, page] of pages.entries()) {
    rowCount += page.rows.length;
    rejectCount += page.rejects.length;
    if (index % step !== 0 && index < pages.length - 1) continue;
    const { position } = page;
    const rest = { rows: rows.slice(rowCount), rejects: rejects.slice(rejectCount) };
    const before = { rows: rows.slice(0, rowCount), rejects: rejects.slice(0, rejectCount) };
    const passed = `${rowCount} rows and ${rejectCount} rejects`;
    const after = await subject.read({ from: position, pageRowsMax: 3 });
    mustCome(after, rest, `after ${passed}`);
    mustBePlaced(after, placesOf(pages).slice(rowCount), `after ${passed}`);
    mustCome(await subject.read({ to: position, pageRowsMax: 3 }), before, `up to ${passed}`);
    if (rejects.length > 0) continue;
    await subject.mustMeasure({ from: position }, rest.rows.length);
    await subject.mustMeasure({ to: position }, rowCount);
  }
}
