import { ApiContractError, ServiceFailsError } from "../../src/errors.ts";
import type { RejectCode } from "../../src/records/reject-codes.ts";
import type { PullStep } from "../../src/state/contract/pull/pull-places.ts";
import type { PullTally } from "../../src/state/contract/pull/pull-runs.ts";
import type { Dependencies } from "../dependencies.ts";
import { domainRefusalsMax, failingDomainsMax } from "../limits.ts";
import { isFailingOnAll } from "./failing-page.ts";
import { isQueryRefused } from "./fetch.ts";

/**
 * @throws {ApiContractError} the service refused so many domains, and took none, that the query is at fault. Its own
 * words may quote a domain, so they are left out.
 */
function assertTakesSome(
  { domainsDone, domainsRefused }: PullTally,
  error: ApiContractError,
): void {
  if (domainsDone > 0 || domainsRefused < domainRefusalsMax) return;
  throw new ApiContractError(
    `the service refused ${domainsRefused + 1} domains with ${error.status} and took none`,
    { cause: error, hint: "check api.base_url and the pull's filters" },
  );
}

/** @throws {ServiceFailsError} the service fails on so many domains in a row that it fails on all of them. */
async function assertFailsOnFew(
  deps: Dependencies,
  step: PullStep,
  error: ServiceFailsError,
): Promise<void> {
  if (!(await isFailingOnAll(deps, step))) return;
  throw new ServiceFailsError(
    `the service failed on ${failingDomainsMax} domains in a row, and serves other requests`,
    { cause: error, hint: "ask the service's operator; the next run continues with the last one" },
  );
}

/** The domain that is asked for, and how the run goes. */
type AskedDomain = {
  readonly step: PullStep;
  readonly tally: PullTally;
  /** Whether pages of it came before. */
  readonly isBegun: boolean;
};

/**
 * How the service refuses the domain that is asked for; undefined for an error that is not about a domain.
 * @throws {ApiContractError | ServiceFailsError} it is about so many that no other is asked for.
 */
export async function domainRefusal(
  deps: Dependencies,
  { step, tally, isBegun }: AskedDomain,
  error: unknown,
): Promise<RejectCode | undefined> {
  if (error instanceof ServiceFailsError) {
    await assertFailsOnFew(deps, step, error);
    return "failed_domain";
  }
  if (!isQueryRefused(error)) return undefined;
  if (isBegun) return "refused_page";
  assertTakesSome(tally, error);
  return error.status === 404 ? "unknown_domain" : "refused_domain";
}
