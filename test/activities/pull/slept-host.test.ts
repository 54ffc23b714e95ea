import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import type { Dependencies } from "../../../activities/dependencies.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { failureOf, type Harness } from "../../support/project/harness.ts";
import { accountsFound, openPullHarness } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

/** Dependencies of a host that sleeps for an hour after the store answered the first such call. */
function sleepingAfter(
  { deps }: Harness,
  method: "keepPage" | "pullTally",
): Pick<Dependencies, "state"> {
  const now = Date.now.bind(Date);
  const get = (state: StateStore, name: string): unknown => {
    const called: unknown = Reflect.get(state, name);
    if (name !== method || typeof called !== "function") return called;
    return async (...input: unknown[]): Promise<unknown> => {
      const answer: unknown = await Reflect.apply(called, state, input);
      vi.spyOn(Date, "now").mockImplementation(() => now() + 3_600_000);
      return answer;
    };
  };
  return { state: new Proxy(deps.state, { get }) };
}

it("a host that slept writes no page, because another may have gone on after it meanwhile", async () => {
  const harness = await openPullHarness();
  const run = await PullRun.open(harness);
  // The second attempt finds the page that the first one kept.
  for (const method of ["keepPage", "pullTally"] as const) {
    const failure = await failureOf(
      run.pull(1, harness.activitiesWith(sleepingAfter(harness, method))),
    );
    vi.restoreAllMocks();
    expect(failure).toMatchObject({ type: "Unavailable", nonRetryable: false });
    expect(failure.message).toContain("3600 s passed since");
    expect(existsSync(join(harness.folder, "scores.csv"))).toBe(false);
  }
  const { pull } = await run.finish();
  expect(pull).toMatchObject({ written: accountsFound, calls: 4, possibly_paid_twice: 0 });
});
