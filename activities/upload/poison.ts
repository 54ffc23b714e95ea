import { ApiUnavailableError, RateLimitedError, ServiceFailsError } from "../../src/errors.ts";
import { chunkName } from "../../src/lane-of.ts";
import type { FaultName } from "../../src/state/contract/sends/faults.ts";
import type { Dependencies } from "../dependencies.ts";
import type { PartRef } from "../inputs.ts";
import { poisonTimesMax } from "../limits.ts";
import { withRetryBudget } from "./retry-budget.ts";

/** The name under which a part's unknown outcomes are counted. */
export function unknownOutcomesOf({ stage, part }: Pick<PartRef, "part" | "stage">): string {
  return `unknown outcome of part ${part}, stage ${stage}`;
}

type AskedFor = { readonly stream: string; readonly signal: AbortSignal };

/**
 * Asks the service for an address that nobody will use, which applies nothing and costs no credits.
 * @throws what that request throws; if the service is away, the unknown outcomes are counted anew then.
 */
export async function assertServesOthers(
  deps: Dependencies,
  outcomes: FaultName,
  request: AskedFor,
): Promise<void> {
  try {
    await withRetryBudget(deps, outcomes, async () => await deps.api.generateUploadUrl(request));
  } catch (error) {
    const isAway =
      error instanceof ApiUnavailableError || (error instanceof RateLimitedError && error.isOutage);
    if (isAway) await deps.state.clearFault(outcomes);
    throw error;
  }
}

/**
 * Keeps a part from being sent for ever. Once its outcome was unknown `poisonTimesMax` times in a row, the service is
 * asked for something else, with the same key. If it answers, the part is sent once more, because an outage may just
 * have ended.
 * @throws {ServiceFailsError} that failed too while the service serves: the part itself is at fault, and must be split.
 * @throws what `assertServesOthers` does.
 */
export async function assertServed(
  deps: Dependencies,
  part: PartRef,
  request: AskedFor,
): Promise<void> {
  const { runId, chunk } = part;
  const outcomes = { runId, chunk, fault: unknownOutcomesOf(part) };
  const times = await deps.state.faultTimes(outcomes);
  if (times < poisonTimesMax) return;
  if (times > poisonTimesMax) {
    throw new ServiceFailsError(
      `the service failed ${times} times on part ${part.part} of ${chunkName(chunk)}, and serves other requests`,
    );
  }
  await assertServesOthers(deps, outcomes, request);
}
