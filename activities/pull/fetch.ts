import { z } from "zod";

import {
  afterPage,
  beginPass,
  nextCursor,
  passSchema,
  withSmallerPages,
  type Pass,
} from "../../src/api/pass.ts";
import type { Result } from "../../src/api/results.ts";
import type { SearchPage } from "../../src/api/search.ts";
import { pullsAlsoWriting } from "../../src/config/feedback-loop.ts";
import type { PullConfig } from "../../src/config/schema/pull.ts";
import { ApiContractError, mayHaveSucceeded, TooLargeError } from "../../src/errors.ts";
import type { PullStep } from "../../src/state/contract/pull/pull-places.ts";
import type { PullPlace } from "../../src/state/contract/pull/pull-rounds.ts";
import type { Dependencies } from "../dependencies.ts";
import { startWatch } from "../upload/leaving.ts";
import { withRetryBudget } from "../upload/retry-budget.ts";
import { resultsToAsk } from "./failing-page.ts";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const lastPage = z
  .object({
    items: z.array(z.custom<Result>(isObject)).readonly(),
    bad: z.array(z.object({ index: z.int(), reason: z.string() }).readonly()).readonly(),
    /** The pass after the page, under the name that earlier versions stored it by. */
    walk: passSchema,
  })
  .transform(({ walk: pass, ...page }) => ({ ...page, pass }))
  .readonly();

/** A page that arrived, kept until it is written. */
export type LastPage = z.output<typeof lastPage>;

/**
 * A page, and the stopwatch that runs since its place was known to be where it was; or why there is none: no call is
 * left, another attempt moved the place, or the pass changed.
 */
export type Fetched =
  | { readonly page: LastPage; readonly passedMs: () => number }
  | { readonly none: "ceiling" | "moved" };

/** A place, and everything its next page is requested with. */
export type PageRequest = {
  readonly pull: PullConfig;
  readonly place: PullPlace;
  /** Started when the place was read. */
  readonly passedMs: () => number;
  readonly step: PullStep;
  /** Results that the run may still read. */
  readonly left: number;
  readonly signal: AbortSignal;
};

/** The pass that a place is in; one that begins with pages of `pageSize` results before the first page. */
export function passOf({ pass }: PullPlace, pageSize: number): Pass {
  return pass === null ? beginPass(pageSize) : passSchema.parse(pass);
}

/** Statuses with which the service refuses a query, its domain or its cursor. */
const queryStatuses: readonly (number | undefined)[] = [400, 404, 410, 422];

/** Whether the service refused what it was asked, rather than to serve anything. */
export function isQueryRefused(error: unknown): error is ApiContractError {
  return error instanceof ApiContractError && queryStatuses.includes(error.status);
}

/**
 * The error for a page of a search that was refused. One behind the first begins the pass anew with the next run,
 * because its cursor may have expired, or be past an end that has shrunk. A 404 is most likely of a gateway, which does
 * not know the service for a while: the pages that were paid for still count.
 */
async function refused(
  { state }: Pick<Dependencies, "state">,
  { step }: PageRequest,
  at: { readonly pass: Pass; readonly error: ApiContractError },
): Promise<ApiContractError> {
  const { pass, error } = at;
  const cursor = nextCursor(pass);
  if (cursor === undefined) return error;
  const isAnew = error.status !== 404;
  if (isAnew) await state.setPass({ ...step, pass: null });
  const hint = isAnew
    ? "the service may no longer know that cursor: the next run begins anew"
    : `the next run asks for the page again; \`sluice pull ${step.pull} --full\` begins anew`;
  const message = `the page at cursor ${cursor}: ${error.message}`;
  return new ApiContractError(message, { cause: error, status: error.status, hint });
}

async function ask(
  deps: Dependencies,
  asked: PageRequest,
  how: { readonly pass: Pass; readonly limit: number },
): Promise<SearchPage | "moved"> {
  const { pull, place, step, signal } = asked;
  const { runId, version: chunk } = step;
  const { domain } = place;
  const { pass, limit } = how;
  try {
    const query = { ...pull.query, ...(domain === undefined ? {} : { domain }), limit };
    const next = { of: pull.of, query, cursor: nextCursor(pass), signal };
    return await withRetryBudget(deps, { runId, chunk }, async () => await deps.api.search(next));
  } catch (error) {
    const isRefused = error instanceof ApiContractError && error.status !== undefined;
    // A refusal is an answer, which may have cost credits; a request that did not even arrive has not.
    if (!mayHaveSucceeded(error) && !isRefused && !signal.aborted)
      await deps.state.forgetCall({ ...step, wasAsking: place.isAsking });
    if (domain === undefined && isQueryRefused(error))
      throw await refused(deps, asked, { pass, error });
    if (!(error instanceof TooLargeError)) throw error;
    await deps.state.setPass({ ...step, pass: withSmallerPages(pass, error) });
    return "moved";
  }
}

/**
 * The pass after a page. One that cannot continue begins anew with the next run: once the service is fixed, the old
 * pass may lead nowhere.
 */
async function advance(
  deps: Dependencies,
  { step }: PageRequest,
  at: { readonly pass: Pass; readonly page: SearchPage; readonly limit: number },
): Promise<Pass> {
  const { pass, page, limit } = at;
  try {
    const after = afterPage(pass, page);
    // A page cut short, as by `--limit`, shows neither how many pages the pass needs nor how many results a page holds.
    const { filledPages, fullest } = pass;
    return limit < pass.limit ? { ...after, filledPages, fullest } : after;
  } catch (error) {
    if (error instanceof ApiContractError) await deps.state.setPass({ ...step, pass: null });
    throw error;
  }
}

/**
 * The next page of a pull: the kept one, or a new one, whose call is counted before it leaves and which is kept when it
 * arrives. A page that arrived is never requested again.
 */
export async function fetchPage(deps: Dependencies, asked: PageRequest): Promise<Fetched> {
  const { pull, place, step, left } = asked;
  if (place.page !== null) return { page: lastPage.parse(place.page), passedMs: asked.passedMs };
  const pass = passOf(place, pull.pageSize);
  const limit = Math.min(await resultsToAsk(deps, asked, pass), left);
  const granted = await deps.state.beginCall({ ...step, callsMax: pull.callsMax });
  if (granted !== "granted") return { none: granted };
  const page = await ask(deps, asked, { pass, limit });
  if (page === "moved") return { none: "moved" };
  const { items, bad } = page;
  const after = await advance(deps, asked, { pass, page, limit });
  const kept = { items, bad, walk: after };
  const passedMs = startWatch();
  // A late page may be older than the one that another attempt has written since.
  const alsoWrites = pullsAlsoWriting(pull, deps.config.pulls);
  const isKept = (await deps.state.keepPage({ ...step, page: kept, alsoWrites })) === "kept";
  return isKept ? { page: { items, bad, pass: after }, passedMs } : { none: "moved" };
}
