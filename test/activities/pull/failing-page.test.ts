import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import { failingDomainsMax, poisonTimesMax } from "../../../activities/limits.ts";
import { failureOf } from "../../support/project/harness.ts";
import { accountsFound, openPullHarness } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";
import { numbers } from "../../support/sequences.ts";
import { openOverDomains } from "./over-domains.ts";

/** How often a page is asked for before it counts as one that the service fails on. */
const timesMax = poisonTimesMax + 1;

const fails = { status: 500 } as const;

/** Pulls to the end as the workflow does: a failure that may pass is waited for. Returns the last one, if any. */
async function pullThrough(run: PullRun): Promise<ApplicationFailure | undefined> {
  for (;;) {
    try {
      if ((await run.pull()).end !== null) return undefined;
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      if (error.nonRetryable === true) return error;
      run.harness.clock.nowMs += 60_000;
    }
  }
}

describe("a domain that the service fails on", () => {
  it("is a reject once another request got through, and the others are asked for", async () => {
    const websites = ["a.example", "b.example", "c.example"];
    const harness = await openPullHarness({ websites });
    const { sandbox } = harness;
    sandbox.order("enrich", fails, { after: 1, times: timesMax });
    const run = await openOverDomains(harness);
    expect(await pullThrough(run)).toBeUndefined();
    const report = await run.close();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 1, rejected: 1 },
      pull: { calls: timesMax + 2, domains: { listed: 3, done: 2, refused: 1 }, finished: true },
    });
    expect(await run.rejects()).toMatchObject([{ place: "b.example", code: "failed_domain" }]);
    expect(await sandbox.ledger("enrich")).toHaveLength(timesMax + 2);
    expect(await sandbox.ledger("generate-upload-url")).toHaveLength(1);
  });

  it("is asked for on and on while no other request gets through either", async () => {
    const harness = await openPullHarness({ websites: ["a.example"] });
    const { sandbox } = harness;
    sandbox.order("enrich", fails, { times: 2 * timesMax });
    sandbox.order("generate-upload-url", fails, { times: 3 });
    const run = await openOverDomains(harness);
    expect(await pullThrough(run)).toBeUndefined();
    expect(await run.close()).toMatchObject({
      outcome: "done",
      pull: { calls: 2 * timesMax + 1, domains: { done: 1, refused: 0 } },
    });
  });

  it("stops the pull as one of several in a row, which is where the next run continues", async () => {
    const websites = numbers(failingDomainsMax + 1).map((row) => `c${row}.example`);
    const harness = await openPullHarness({ websites });
    harness.sandbox.order("enrich", fails, { times: failingDomainsMax * timesMax });
    const run = await openOverDomains(harness);
    const failure = await pullThrough(run);
    expect(failure).toMatchObject({ type: "ServiceFails" });
    expect(failure?.message).toContain(`${failingDomainsMax} domains in a row`);
    const refused = failingDomainsMax - 1;
    expect((await run.close({ outcome: "failed" })).pull).toMatchObject({ domains: { refused } });
    const report = await (await openOverDomains(harness, "run-2")).finish();
    expect(report.pull).toMatchObject({ continued: true, finished: true, domains: { done: 2 } });
  });
});

describe("a page of a search that the service fails on", () => {
  it("is asked for in halves, and only that page", async () => {
    const harness = await openPullHarness();
    harness.sandbox.order("search", fails, { after: 1, times: timesMax });
    const run = await PullRun.open(harness);
    expect(await pullThrough(run)).toBeUndefined();
    expect(await run.close()).toMatchObject({
      outcome: "done",
      // 10, 5, 10, 10 and 5 results.
      counts: { read: accountsFound },
      pull: { pages: 5, calls: 5 + timesMax, repeated: 0, finished: true },
    });
  });

  it("ends the run once it fails with one result, also where uploads cost more than there is", async () => {
    const harness = await openPullHarness();
    const { sandbox } = harness;
    sandbox.order("search", fails, { after: 1, times: 1_000 });
    sandbox.order("generate-upload-url", {
      status: 429,
      body: { message: "credits exhausted" },
    });
    const run = await PullRun.open(harness);
    const failure = await pullThrough(run);
    expect(failure).toMatchObject({ type: "ServiceFails" });
    expect(failure?.message).toContain("the page at cursor 10");
    // Of 10, 5, 2 and 1 results.
    expect(await sandbox.ledger("search")).toHaveLength(1 + 4 * timesMax);
    expect((await failureOf(run.pull())).type).toBe("ServiceFails");
    await run.close({ outcome: "failed" });
    const next = await PullRun.open(harness, { runId: "run-2" });
    expect((await failureOf(next.pull())).type).toBe("OutcomeUnknown");
  });
});
