import { ApiUnavailableError, ServiceFailsError } from "../src/errors.ts";
import { poisonTimesMax } from "../src/limits.ts";
import { bearFaults } from "./borne-faults.ts";
import type { Dependencies } from "./dependencies.ts";
import type { PartRef } from "./inputs.ts";

/** The name under which a part's unknown outcomes are counted. */
export function unknownOutcomesOf({ stage, part }: Pick<PartRef, "part" | "stage">): string {
  return `unknown outcome of part ${part}, stage ${stage}`;
}

/**
 * Keeps a part from being sent once its outcome was unknown `poisonTimesMax` times in a row, until the service has shown what
 * is at fault: it is asked, with the same key, for an address that nobody will use, which applies nothing.
 * @throws {ServiceFailsError} it answers: the part itself is at fault, and is to be split.
 * @throws what that request throws when it fails too; the part's outcomes are counted anew then.
 */
export async function assertServed(
  deps: Dependencies,
  part: PartRef,
  ask: { readonly stream: string; readonly signal: AbortSignal },
): Promise<void> {
  const { runId, chunk } = part;
  const outcomes = { runId, chunk, fault: unknownOutcomesOf(part) };
  if ((await deps.state.faultTimes(outcomes)) < poisonTimesMax) return;
  try {
    await bearFaults(deps, part, async () => await deps.api.generateUploadUrl(ask));
  } catch (error) {
    if (error instanceof ApiUnavailableError) await deps.state.clearFault(outcomes);
    throw error;
  }
  throw new ServiceFailsError(
    `the service failed ${poisonTimesMax} times on part ${part.part} of chunk ${chunk}, and serves other requests`,
  );
}
