import { describe, expect, it } from "vitest";

import { failureOf } from "../../support/project/harness.ts";
import { openPullHarness } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

describe("a search that continues at a cursor", () => {
  it.each([400, 410, 422])(
    "begins anew with the next run when its cursor is refused with %i",
    async (status) => {
      const harness = await openPullHarness({ scores: ["calls_max: 3"] });
      await (await PullRun.open(harness)).finish();
      harness.sandbox.order("search", { status });
      const second = await PullRun.open(harness, { runId: "run-2" });
      const failure = await failureOf(second.pull());
      expect(failure).toMatchObject({ type: "ContractBroken", nonRetryable: true });
      expect(failure.message).toContain(`the page at cursor 30: POST /search/accounts: ${status}`);
      const hint = "the service may no longer know that cursor: the next run begins anew";
      expect(failure.details).toMatchObject([{ hint }]);
      expect((await second.close({ outcome: "failed" })).pull).toMatchObject({ calls: 1 });
      const third = await (await PullRun.open(harness, { runId: "run-3" })).finish();
      expect(third).toMatchObject({ outcome: "done", counts: { read: 30, unchanged: 30 } });
    },
  );

  // A gateway gives a 404 for its own paths, as while the service is deployed.
  it.each([404, 501])("keeps its pass when a page is refused with %i", async (status) => {
    const harness = await openPullHarness({ scores: ["calls_max: 3"] });
    await (await PullRun.open(harness)).finish();
    harness.sandbox.order("search", { status });
    const second = await PullRun.open(harness, { runId: "run-2" });
    const failure = await failureOf(second.pull());
    expect(failure.type).toBe("ContractBroken");
    expect(failure.message).toContain(`POST /search/accounts: ${status}`);
    const anew = "the next run asks for the page again; `sluice pull scores --full` begins anew";
    const told = JSON.stringify(failure.details);
    expect(told.includes(anew)).toBe(status === 404);
    await second.close({ outcome: "failed" });
    const third = await (await PullRun.open(harness, { runId: "run-3" })).finish();
    expect(third.pull).toMatchObject({ calls: 1, written: 10, finished: true });
  });
});
