import { existsSync } from "node:fs";
import { join } from "node:path";

import { afterEach, expect, it, vi } from "vitest";

import type { Dependencies } from "../../../activities/dependencies.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { failureOf, type Harness } from "../../support/project/harness.ts";
import { accountsFound, openPullHarness, pullYaml } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

afterEach(() => void vi.restoreAllMocks());

/** Dependencies of a host that sleeps for so long after the store answered the first such call. */
function sleepingAfter(
  { deps }: Harness,
  { method, ms }: { readonly method: "keepPage" | "pullTally"; readonly ms: number },
): Pick<Dependencies, "state"> {
  const now = Date.now.bind(Date);
  const get = (state: StateStore, name: string): unknown => {
    const called: unknown = Reflect.get(state, name);
    if (name !== method || typeof called !== "function") return called;
    return async (...input: unknown[]): Promise<unknown> => {
      const answer: unknown = await Reflect.apply(called, state, input);
      vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
      return answer;
    };
  };
  return { state: new Proxy(deps.state, { get }) };
}

// Temporal starts another attempt when it has heard nothing for the timeout: its last news may be seconds older than
// the look at the pull's place.
it.each([
  { timeout: "30s", seconds: 3_600 },
  { timeout: "30s", seconds: 29 },
  { timeout: "4s", seconds: 3 },
])("a host that slept writes no page: $seconds s of $timeout", async ({ timeout, seconds }) => {
  const opened = await openPullHarness();
  const yaml = `${pullYaml()}advanced: { heartbeat_timeout: ${timeout} }\n`;
  const harness = await opened.withYaml(yaml);
  const run = await PullRun.open(harness);
  // The second attempt finds the page that the first one kept.
  for (const method of ["keepPage", "pullTally"] as const) {
    const sleeping = sleepingAfter(harness, { method, ms: seconds * 1_000 });
    const failure = await failureOf(run.pull(1, harness.activitiesWith(sleeping)));
    vi.restoreAllMocks();
    expect(failure).toMatchObject({ type: "Unavailable", nonRetryable: false });
    expect(failure.message).toContain(`${seconds} s passed since`);
    expect(existsSync(join(harness.folder, "scores.csv"))).toBe(false);
  }
  const { pull } = await run.finish();
  expect(pull).toMatchObject({ written: accountsFound, calls: 4, possibly_paid_twice: 0 });
});
