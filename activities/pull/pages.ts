import { beginPass, endNotStated, nextCursor, type Pass } from "../../src/api/pass.ts";
import type { PullConfig } from "../../src/config/schema/pull.ts";
import type { RejectCode } from "../../src/records/reject-codes.ts";
import type { PageCommit } from "../../src/state/contract/pull/pull-pages.ts";
import type { PullPlace } from "../../src/state/contract/pull/pull-rounds.ts";
import type { PullTally } from "../../src/state/contract/pull/pull-runs.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import { requestAttempt } from "../attempt.ts";
import { isoNow, pullOf, type Dependencies } from "../dependencies.ts";
import type { RunRef } from "../inputs.ts";
import { startWatch } from "../upload/leaving.ts";
import { domainRefusal } from "./domain-refusal.ts";
import { fetchPage, passOf, type PageRequest } from "./fetch.ts";
import { assertFewRejects } from "./few-rejects.ts";
import type { PulledPages } from "./inputs.ts";
import { resultReject } from "./patches.ts";
import { writePage } from "./write.ts";

type Pulling = {
  readonly deps: Dependencies;
  readonly run: Run;
  readonly pull: PullConfig;
  readonly signal: AbortSignal;
};

/** Ends a domain that the service refused, or fails on; the report gets a line for it. */
async function refuseDomain(
  { deps, pull }: Pulling,
  asked: PageRequest,
  { code, isBegun }: { readonly code: RejectCode; readonly isBegun: boolean },
): Promise<void> {
  const { domain: place = "" } = asked.place;
  await deps.state.commitPage({
    ...asked.step,
    pass: null,
    counts: { read: 1, written: 0, unchanged: 0, missing: 0 },
    rejects: [resultReject(pull.of, { place, step: "pull", code })],
    keys: [],
    isRefusal: true,
    isBegun,
    at: isoNow(deps),
  });
}

/**
 * The notes of a pass that a person should see. A run keeps few warnings, and the numbers of single domains would fill
 * them.
 */
function notesOf({ notes }: Pass, { domain }: PullPlace): readonly string[] {
  if (domain === undefined) return notes;
  const kept = notes.filter((note) => note === endNotStated);
  const isOff = kept.length < notes.length;
  return isOff
    ? [...kept, "more or fewer results came for some domains than the service had said"]
    : kept;
}

function notesOnPasses({ earlier }: Pass): readonly string[] {
  return earlier === 0 ? [] : [`results changed places: the search took ${earlier + 1} passes`];
}

/**
 * The pass that follows when this one has ended and not every result came (docs/facts/faults.md#promises, P16);
 * undefined for none.
 */
function againAfter(
  { bad, earlier, isDone, limit, total }: Pass,
  { place, pull }: PageRequest,
): PageCommit["again"] {
  // The postings of one company are few: the next round brings those that changed places.
  if (!isDone || total === undefined || place.domain !== undefined) return undefined;
  if (earlier + 1 >= pull.passesMax) return undefined;
  return { pass: beginPass(limit, earlier + 1), keys: total.last - bad };
}

/** Pulls one page: fetches it unless it is kept, writes it, then forgets it. False when no call is left for it. */
async function pullPage(pulling: Pulling, asked: PageRequest): Promise<boolean> {
  const { deps, run, pull, signal } = pulling;
  const fetched = await fetchPage(deps, asked);
  if ("none" in fetched) return fetched.none === "moved";
  const { page, passedMs } = fetched;
  const { pass } = page;
  // A run that was stopped for a while must not overwrite what its successor wrote.
  signal.throwIfAborted();
  const isNext = async (): Promise<boolean> => await deps.state.isPageKept(asked.step);
  const written = await writePage(deps, pull, { page, signal, passedMs, isNext });
  if (pass.isDone) {
    const warnings = [...notesOf(pass, asked.place), ...notesOnPasses(pass)];
    if (warnings.length > 0) await deps.state.addWarnings({ runId: run.runId, warnings });
  }
  await deps.state.commitPage({
    ...asked.step,
    ...written,
    pass: pass.isDone ? null : pass,
    again: againAfter(pass, asked),
    isRepeat: pass.earlier > 0,
    isRefusal: false,
    at: isoNow(deps),
  });
  return true;
}

type Reached = Pick<PageRequest, "passedMs" | "place"> & { readonly tally: PullTally };

/** The place and the totals of a run; both exist once it was opened. */
async function reached({ deps, run }: Pulling): Promise<Reached> {
  const name = { target: run.target, pull: run.sync };
  const passedMs = startWatch();
  const place = await deps.state.pullPlace(name);
  const tally = await deps.state.pullTally({ runId: run.runId });
  if (place === undefined || tally === undefined) {
    throw new Error(`run ${run.runId} never began its pull`);
  }
  return { place, passedMs, tally };
}

function endOf(run: Run, { place, tally }: Reached): PulledPages["end"] {
  if (place.isDone) return "done";
  return tally.results >= (run.request.limit ?? Infinity) ? "limit" : null;
}

/**
 * Refused results out of all that arrived. Leaves out refused domains and rows without a valid domain, which say
 * nothing about the write-back.
 */
function refusedResults({ read, refused, results }: PullTally): {
  readonly refused: number;
  readonly read: number;
} {
  return { refused: refused - (read - results), read: results };
}

/** Advances by one page, or past a domain that the service refused; false when no call is left for it. */
async function goOn(pulling: Pulling, now: Reached): Promise<boolean> {
  const { deps, run, pull, signal } = pulling;
  const { place, passedMs, tally } = now;
  const step = { target: run.target, pull: pull.name, runId: run.runId, version: place.version };
  const left = (run.request.limit ?? Infinity) - tally.results;
  const asked: PageRequest = { pull, place, passedMs, step, left, signal };
  try {
    return await pullPage(pulling, asked);
  } catch (error) {
    if (place.domain === undefined) throw error;
    const isBegun = nextCursor(passOf(place, pull.pageSize)) !== undefined;
    const code = await domainRefusal(deps, { step, tally, isBegun }, error);
    if (code === undefined) throw error;
    await refuseDomain(pulling, asked, { code, isBegun });
    return true;
  }
}

async function pullMany(pulling: Pulling, pagesMax: number): Promise<PulledPages> {
  const { deps, run, pull, signal } = pulling;
  let now = await reached(pulling);
  let end = endOf(run, now);
  const assertFew = (): void =>
    assertFewRejects(pull, { ...refusedResults(now.tally), what: "results" });
  for (let pages = 0; end === null && pages < pagesMax; pages++) {
    signal.throwIfAborted();
    assertFew();
    const hasCalls = await goOn(pulling, now);
    now = await reached(pulling);
    end = hasCalls ? endOf(run, now) : "calls_max";
  }
  // Nothing more is paid for, but a pull whose results were refused has not succeeded.
  if (end !== null) assertFew();
  if (end === "calls_max") {
    const warnings = [`stopped after ${pull.callsMax} calls (calls_max)`];
    await deps.state.addWarnings({ runId: run.runId, warnings });
  }
  const { isContinued: _, rejected: __, domains, ...amounts } = now.tally;
  return { amounts, domains, end };
}

/**
 * Pulls pages, one after the other. Twice is once: it continues where the store says, does not request a page again
 * that arrived, and writes a written page again without changing anything.
 */
export function createPullPages(
  deps: Dependencies,
): (input: RunRef & { readonly pagesMax: number }) => Promise<PulledPages> {
  return async ({ pagesMax, ...ref }) =>
    await requestAttempt(deps, ref, async ({ run, signal }) => {
      const pull = pullOf(deps, run.sync);
      return await pullMany({ deps, run, pull, signal }, pagesMax);
    });
}
