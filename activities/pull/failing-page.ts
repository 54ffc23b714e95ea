import { nextCursor, type Pass } from "../../src/api/pass.ts";
import { ApiContractError, CreditsExhaustedError, ServiceFailsError } from "../../src/errors.ts";
import type { PullStep } from "../../src/state/contract/pull/pull-places.ts";
import type { PullPlace } from "../../src/state/contract/pull/pull-rounds.ts";
import type { Dependencies } from "../dependencies.ts";
import { failingDomainsMax, poisonTimesMax } from "../limits.ts";
import { assertServesOthers } from "../upload/poison.ts";
import { unknownOutcome } from "../upload/retry-budget.ts";

/** How often a page may fail while the service serves other requests. */
const failuresMax = poisonTimesMax + 1;

/** The page that is asked for next. */
type NextPage = {
  readonly place: PullPlace;
  readonly step: PullStep;
  readonly signal: AbortSignal;
};

/** @throws {ServiceFailsError} */
function pageFails(pass: Pass, failures: number): never {
  const page = `the page at cursor ${nextCursor(pass) ?? 0}`;
  throw new ServiceFailsError(
    `the service failed ${failures} times on ${page}, and serves other requests`,
    { hint: "ask the service's operator; the next run asks for the page again" },
  );
}

/**
 * How many results to ask for. Keeps a page that the service fails on from being asked for, and perhaps paid for, for
 * ever: as a part that is poison (`assertServed`), it is asked for once more after another request got through. Then a
 * search asks for half as many results, until the page has come.
 * @throws {ServiceFailsError} the service fails on a page of one result, or on one of a domain.
 */
export async function resultsToAsk(
  deps: Dependencies,
  { place, step, signal }: NextPage,
  pass: Pass,
): Promise<number> {
  const { runId, version: chunk } = step;
  const outcomes = { runId, chunk, fault: unknownOutcome };
  const failures = await deps.state.faultTimes(outcomes);
  const halvings = Math.floor(failures / failuresMax);
  const results = Math.floor(pass.limit / 2 ** halvings);
  if (results === 0 || (halvings > 0 && place.domain !== undefined)) pageFails(pass, failures);
  if (failures % failuresMax < poisonTimesMax) return results;
  try {
    await assertServesOthers(deps, outcomes, { stream: "account", signal });
  } catch (error) {
    // An upload that is refused is an answer, too; it says nothing about a search.
    const isAnswer = error instanceof ApiContractError || error instanceof CreditsExhaustedError;
    if (!isAnswer) throw error;
  }
  return results;
}

/**
 * Whether the service has failed on so many domains one after the other, this one included, that it does not serve job
 * postings at all.
 */
export async function isFailingOnAll(
  { state }: Pick<Dependencies, "state">,
  { runId, version }: PullStep,
): Promise<boolean> {
  for (let before = 1; before < failingDomainsMax; before++) {
    const outcomes = { runId, chunk: version - before, fault: unknownOutcome };
    if ((await state.faultTimes(outcomes)) < failuresMax) return false;
  }
  return true;
}
