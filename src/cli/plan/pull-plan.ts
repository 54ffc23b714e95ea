import { z } from "zod";

import type { Source } from "../../../connectors/contract/connector.ts";
import { connectorOf, readRequestOf } from "../../../connectors/source.ts";
import { beginPass, passSchema, type Pass } from "../../api/pass.ts";
import type { Searchable } from "../../api/results.ts";
import type { PullConfig } from "../../config/schema/pull.ts";
import { pageRowsMax } from "../../limits.ts";
import { domainOf, domainText } from "../../mapping/domain.ts";
import { columnReader } from "../../mapping/read-column.ts";
import { isSameRound, type PullPlace } from "../../state/contract/pull/pull-rounds.ts";
import type { PullTally } from "../../state/contract/pull/pull-runs.ts";
import type { StateStore } from "../../state/state-store.ts";

/** What the next run of a pull costs, as `--json` prints it. */
export type PullPlan = {
  readonly pull: string;
  readonly of: Searchable;
  /** Whether it continues where a run stopped, begins the first round, or begins a new one. */
  readonly round: "continued" | "first" | "new";
  /** Each costs credits; how many is not published. */
  readonly calls: {
    readonly at_least: number;
    /** Null if nothing says how many results there are. */
    readonly expected: number | null;
    /** `calls_max`: the next run continues from there. */
    readonly at_most: number;
  };
  /** Passes over a search at most; each costs as many calls. */
  readonly passes_max: number;
  /** For job postings: domains that are still to be asked for. */
  readonly domains?: number;
  /** At the rate limit; null if nothing says how many calls there are. */
  readonly seconds: number | null;
};

/** A pull, and where its runs and its rows are. */
export type PlannedPull = {
  readonly pull: PullConfig;
  readonly target: string;
  readonly sources: ReadonlyMap<string, Source>;
  /** Undefined if nothing ever ran here. */
  readonly state: StateStore | undefined;
  readonly requestsPerSecond: number;
  readonly signal: AbortSignal;
};

/** How many runs are searched for the last round. */
const runsMax = 100;

/** The sums of the runs that made up the last round of a pull that came to its end. */
type LastRound = {
  readonly results: number;
  readonly calls: number;
  readonly domains: number;
  /** Whether the pull was configured as it is now. */
  readonly isAsNow: boolean;
};

/** A run of a pull, and what it counted. */
type Counted = { readonly runId: string; readonly tally: PullTally };

/** The part of a kept page that says how far the pass is after it. */
const keptPage = z.object({ walk: passSchema });

/** The newest runs of a pull that counted anything, newest first. */
async function runsOf({ pull, target, state }: PlannedPull): Promise<readonly Counted[]> {
  const runs = (await state?.runFigures({ target, sync: pull.name, limit: runsMax })) ?? [];
  const counted: Counted[] = [];
  for (const { runId } of runs) {
    const tally = await state?.pullTally({ runId });
    if (tally !== undefined) counted.push({ runId, tally });
  }
  return counted;
}

/** The last round that came to its end; undefined if there is none, or its beginning is no longer kept. */
async function lastRoundOf(
  { state, pull }: PlannedPull,
  runs: readonly Counted[],
): Promise<LastRound | undefined> {
  const end = runs.findIndex(({ tally }) => tally.roundsDone > 0);
  const begin = runs.findIndex(({ tally }, at) => at >= end && !tally.isContinued);
  if (end === -1 || begin === -1) return undefined;
  const sum = { results: 0, calls: 0, domains: 0 };
  for (const { tally } of runs.slice(end, begin + 1)) {
    sum.results += tally.results;
    sum.calls += tally.pages + tally.domainsRefused;
    sum.domains += tally.domainsDone + tally.domainsRefused;
  }
  const ended = await state?.run(runs[end]?.runId ?? "");
  return { ...sum, isAsNow: ended?.configHash === pull.configHash };
}

/** The place that the next run continues from, as the store decides it; undefined if it begins a round. */
function continuedPlace(pull: PullConfig, place: PullPlace | undefined): PullPlace | undefined {
  if (place === undefined || !isSameRound(place, pull)) return undefined;
  return place.ordinal > 0 && place.domain === undefined ? undefined : place;
}

/** How many calls a pass still needs; undefined if its pages have not said how much there is. */
function callsOfPass(pass: Pass): number | undefined {
  if (pass.isDone) return 0;
  if (pass.total === undefined) return undefined;
  // A service may return fewer results than it is asked for.
  const size = pass.fullest === 0 ? pass.limit : Math.min(pass.limit, pass.fullest);
  return Math.max(1, Math.ceil((pass.total.last - pass.seen) / size));
}

/** The pass of a place; if a page is kept, which is paid for, the pass after it. */
function passOf({ pass, page }: PullPlace, pageSize: number): Pass {
  if (page !== null) return keptPage.parse(page).walk;
  return pass === null ? beginPass(pageSize) : passSchema.parse(pass);
}

/** How many domains a new round would ask for. Reads all of them, each once, as a run lists them. */
async function domainsToList({ pull, sources, signal }: PlannedPull): Promise<number> {
  const { domainsFrom } = pull;
  if (domainsFrom === undefined) return 0;
  const source = connectorOf({ sources }, domainsFrom.connector);
  const domains = new Set<string>();
  const cellOf = columnReader(domainsFrom.column);
  for await (const page of source.read({ ...readRequestOf(domainsFrom, signal), pageRowsMax })) {
    for (const row of page.rows) {
      const domain = domainOf(domainText(cellOf(row)));
      if (typeof domain === "string") domains.add(domain);
    }
  }
  return domains.size;
}

type Calls = { readonly least: number; readonly expected: number | undefined };

/** What a search costs: the rest of its pass, or a pass like that of the last round. */
function searchCalls(
  pull: PullConfig,
  place: PullPlace | undefined,
  last: LastRound | undefined,
): Calls {
  if (place !== undefined) {
    const pass = passOf(place, pull.pageSize);
    return { least: pass.isDone ? 0 : 1, expected: callsOfPass(pass) };
  }
  if (last === undefined) return { least: 1, expected: undefined };
  const { results, calls, isAsNow } = last;
  return { least: 1, expected: isAsNow ? calls : Math.max(1, Math.ceil(results / pull.pageSize)) };
}

/** What domains cost: one call each, and more if some have more pages, as in the last round. */
function domainCalls(domains: number, last: LastRound | undefined): Calls {
  const each = last === undefined || last.domains === 0 ? undefined : last.calls / last.domains;
  const expected = each === undefined ? undefined : Math.ceil(domains * Math.max(1, each));
  return { least: domains, expected: domains === 0 ? 0 : expected };
}

/** How many domains the next run has before it. */
async function domainsLeft(
  planned: PlannedPull,
  place: PullPlace | undefined,
  runs: readonly Counted[],
): Promise<number> {
  if (place?.isListed !== true) return await domainsToList(planned);
  const listed = runs.find(({ tally }) => tally.domains > 0)?.tally.domains ?? place.ordinal;
  // The last page of the domain that is being read may be here already, and paid for.
  const isPaid = place.page !== null && passOf(place, planned.pull.pageSize).isDone;
  return listed - place.ordinal + (isPaid ? 0 : 1);
}

/** Returns what the next run of a pull costs, without making a call. */
export async function planPull(planned: PlannedPull): Promise<PullPlan> {
  const { pull, target, state, requestsPerSecond } = planned;
  const { name, of, callsMax, passesMax, queryHash } = pull;
  const before = await state?.pullPlace({ target, pull: name });
  const place = continuedPlace(pull, before);
  const runs = await runsOf(planned);
  // Another query finds other results.
  const last = before?.queryHash === queryHash ? await lastRoundOf(planned, runs) : undefined;
  const domains =
    pull.domainsFrom === undefined ? undefined : await domainsLeft(planned, place, runs);
  const { least, expected } =
    domains === undefined ? searchCalls(pull, place, last) : domainCalls(domains, last);
  const calls = expected === undefined ? null : Math.min(expected, callsMax);
  return {
    pull: name,
    of,
    round: place !== undefined ? "continued" : before === undefined ? "first" : "new",
    calls: { at_least: Math.min(least, callsMax), expected: calls, at_most: callsMax },
    passes_max: passesMax,
    ...(domains === undefined ? {} : { domains }),
    seconds: calls === null ? null : Math.ceil(calls / requestsPerSecond),
  };
}
