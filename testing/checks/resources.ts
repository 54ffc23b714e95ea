import { readdirSync } from "node:fs";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { createContext, runInContext } from "node:vm";

import type { Check } from "../check.ts";
import { mustBe, NotShown } from "../failed.ts";
import { makeRows, mustBeRows } from "../rows.ts";
import type { ReadPage, Subject } from "../subject.ts";

/** R7 and R14 to R16: a read takes no more than it is asked for, and leaves nothing behind. */
export const resourceChecks: readonly Check[] = [
  {
    id: "R7",
    title: "reads little when little is asked for",
    why: "`--limit 10` and a preview of a large table would read all of it.",
    run: readsLittle,
  },
  {
    id: "R14",
    title: "holds few rows at a time",
    why: "A source that is larger than the memory ends the worker, and with it every other run on that host.",
    run: holdsFew,
  },
  {
    id: "R15",
    title: "stops when it is aborted",
    why: "A cancelled run would continue reading, and keep its connection from the runs to come.",
    run: stopsWhenAborted,
  },
  {
    id: "R16",
    title: "closes what it opened when a read is left early",
    why:
      "Every chunk ends its read before the source ends: each would leave a file or a connection open until " +
      "none is left.",
    run: closesEarly,
  },
];

async function readsLittle(subject: Subject): Promise<void> {
  const rows = makeRows(5_000);
  await subject.holds(rows);
  const pageRowsMax = 50;
  for (const limit of [10, 60]) {
    // The limit rounded up to pages, and a page more.
    const most = (Math.ceil(limit / pageRowsMax) + 1) * pageRowsMax;
    const limited: ReadPage[] = [];
    let count = 0;
    for await (const page of subject.pages({ pageRowsMax, limit })) {
      limited.push(page);
      count += page.rows.length;
      if (count > most) break;
    }
    const expected = `${limit} to ${most} of ${rows.length} rows with limit ${limit}`;
    mustBe(count >= limit, expected, `${count}`);
    mustBe(count <= most, expected, "more");
    const rest = await firstRows(subject, { from: limited.at(-1)?.position, pageRowsMax });
    const both = [...limited.flatMap((page) => page.rows), ...rest];
    const ids = new Set(both.map(({ id }) => id));
    mustBe(ids.size === both.length, "other rows after a limited read", "some of the same");
    const whole = (await firstRows(subject, { pageRowsMax }, both.length)).slice(0, both.length);
    mustBeRows(both, whole, "in a limited read and the next page, as without a limit");
  }
}

/** The rows of the first pages, until they are at least `count`. */
async function firstRows(
  subject: Subject,
  request: { readonly from?: unknown; readonly pageRowsMax: number },
  count = 1,
): Promise<ReadPage["rows"]> {
  const read: ReadPage["rows"][] = [];
  for await (const { rows } of subject.pages(request)) {
    read.push(rows);
    if (read.flat().length >= count) break;
  }
  return read.flat();
}

const large = { rows: 4_000, textChars: 16_000 };

/** Bytes that a read may hold in addition: a block of rows, their page, and the buffers that they came in. */
const heldBytesMax = 32_000_000;

/** Fills in rows that the check does not hold afterwards. @throws {NotShown} the source is too small for them. */
async function holdsLarge(subject: Subject, count: number): Promise<void> {
  if (subject.harness.cannotHold?.includes("64 MB") === true) {
    throw new NotShown("the source cannot hold 64 MB");
  }
  await subject.holds(makeRows(count, { textChars: large.textChars }));
}

async function holdsFew(subject: Subject): Promise<void> {
  await holdsLarge(subject, large.rows);
  const collect = garbageCollector();
  const before = await collect();
  const looked = new Set([1, 20, 39]);
  const ids = new Set<string>();
  let most = 0;
  let pages = 0;
  for await (const { rows } of subject.pages({ pageRowsMax: 100 })) {
    for (const { id } of rows) ids.add(id);
    pages += 1;
    if (!looked.has(pages)) continue;
    // Gives a source time to hand out more than was asked for.
    await wait(100);
    most = Math.max(most, await collect());
  }
  mustBe(ids.size === large.rows, `${large.rows} rows`, `${ids.size}`);
  const [megabytes, held] = [heldBytesMax, most - before].map((bytes) => Math.ceil(bytes / 1e6));
  mustBe(
    most - before <= heldBytesMax,
    `at most ${megabytes} MB in memory while ${(large.rows * large.textChars) / 1e6} MB are read slowly`,
    `${held} MB`,
  );
  await subject.harness.empty();
}

/** Returns a function that collects garbage, and returns the bytes of memory that are still in use. */
function garbageCollector(): () => Promise<number> {
  setFlagsFromString("--expose-gc");
  // Only a context made after the flag was set has the function.
  const context = createContext({});
  return async () => {
    // A second round frees the objects that the first one finalizes.
    for (let round = 0; round < 2; round += 1) {
      runInContext("gc()", context);
      await turn();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}

/** How long an abort, or a read that is left, may take. */
const stopMsMax = 1_000;

/** Rows of the large source that may still come after an abort: those of a block that had come before. */
const abortRows = 2_500;

async function stopsWhenAborted(subject: Subject): Promise<void> {
  // Things that the connector or the harness opens only once must be open before anything is counted.
  await subject.holds(makeRows(10));
  mustBe((await subject.rows()).length === 10, "10 rows", "others");
  await holdsLarge(subject, abortRows);
  await stopsReading(subject, 0);
  await stopsReading(subject, 1);
  await subject.holds(makeRows(10));
  await stopsWhileWaiting(subject);
}

/** Aborts after `pagesBefore` pages: with 0, the abort comes before the read begins, and no event reports it. */
async function stopsReading(subject: Subject, pagesBefore: 0 | 1): Promise<void> {
  const open = openThings();
  const abort = new AbortController();
  const pages = subject.pages({ pageRowsMax: 7, signal: abort.signal });
  if (pagesBefore > 0) {
    const first = await pages.next();
    mustBe(first.done !== true, "a first page", "none");
  }
  abort.abort();
  let count = 0;
  for (;;) {
    const next = await within(stopMsMax, ended(pages.next()));
    mustBe(next !== "late", `an end within ${stopMsMax} ms after an abort`, "none");
    if (next === "ended") break;
    count += next.rows.length;
    if (count <= abortRows / 2) continue;
    await pages.return(undefined);
    mustBe(false, "a read to stop when it is aborted", `${count} more rows`);
  }
  await mustBeClosed(open, pagesBefore > 0 ? "after an abort" : "after an abort before the read");
}

/** Aborts while the source does not answer, if the harness can bring that about. */
async function stopsWhileWaiting(subject: Subject): Promise<void> {
  const open = openThings();
  const undo = await subject.harness.stall?.();
  if (undo === undefined) return;
  const abort = new AbortController();
  const next = ended(subject.pages({ signal: abort.signal }).next());
  try {
    // Time for it to send its request; it may also be aborted before.
    await within(100, next);
    abort.abort();
    const stopped = await within(stopMsMax, next);
    mustBe(
      stopped !== "late",
      `an end within ${stopMsMax} ms after an abort while the source does not answer`,
      "none",
    );
  } finally {
    await undo();
  }
  await mustBeClosed(open, "after an abort while the source does not answer");
}

/** The page of a step of a read, or "ended" when there are no more; an error is an end too. */
async function ended(
  step: Promise<IteratorResult<ReadPage, unknown>>,
): Promise<ReadPage | "ended"> {
  try {
    const { done, value } = await step;
    return done === true ? "ended" : value;
  } catch {
    return "ended";
  }
}

async function closesEarly(subject: Subject): Promise<void> {
  const rows = makeRows(50);
  await subject.holds(rows);
  mustBeRows(await subject.rows(), rows, "in a whole read");
  const open = openThings();
  for (const leftAfter of [1, 3]) {
    const pages = subject.pages();
    for (let page = 0; page < leftAfter; page += 1) {
      const { done } = await pages.next();
      mustBe(done !== true, `more than ${page} pages of ${rows.length} rows`, "none");
    }
    const left = await within(stopMsMax, pages.return(undefined));
    mustBe(left !== "late", `a read that is left to close within ${stopMsMax} ms`, "none");
    await mustBeClosed(open, `when a read is left after ${leftAfter} pages`);
  }
  mustBeRows(await subject.rows(), rows, "after reads that were left");
}

/** The number of open things of each kind: sockets, files, timers. */
type OpenThings = ReadonlyMap<string, number>;

function openThings(): OpenThings {
  const kinds = process.getActiveResourcesInfo().filter((kind) => !momentary.test(kind));
  const counts = new Map(
    [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]),
  );
  return counts.set("open files and sockets", openFiles());
}

/** Requests to the file system and the like: they end by themselves. */
const momentary = /^(?:FSReq|Immediate|TickObject|GetAddrInfo|CloseReq|WriteWrap|ShutdownWrap)/;

/** Node does not count open files among its resources; not every system shows them. */
function openFiles(): number {
  try {
    return readdirSync("/dev/fd").length;
  } catch {
    return 0;
  }
}

/** @throws {CheckFailed} more is open than before, and stays so. */
async function mustBeClosed(before: OpenThings, when: string): Promise<void> {
  const more = (): readonly string[] =>
    [...openThings()].flatMap(([kind, count]) => {
      const left = count - (before.get(kind) ?? 0);
      return left > 0 ? [`${left} of ${kind}`] : [];
    });
  // The other side of a connection closes a moment later, and it may be in this process.
  const untilMs = performance.now() + stopMsMax;
  while (more().length > 0 && performance.now() < untilMs) await wait(10);
  const left = more();
  mustBe(left.length === 0, `nothing left open ${when}`, left.join(", "));
}

/** The result of the work, or "late"; a busy computer, which is late with everything, gets extra time. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | "late"> {
  const stop = new AbortController();
  const late = async (): Promise<"late"> => {
    await wait(ms, undefined, { signal: stop.signal });
    for (let turns = 0; turns < 100; turns += 1) await turn();
    return "late";
  };
  const timer = late();
  timer.catch(() => undefined);
  try {
    return await Promise.race([work, timer]);
  } finally {
    stop.abort();
  }
}
