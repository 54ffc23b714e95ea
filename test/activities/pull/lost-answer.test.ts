import { expect, it } from "vitest";

import { failureOf } from "../../support/project/harness.ts";
import { openPullHarness } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

it("counts a page as possibly paid twice in the run that asks for it again", async () => {
  const harness = await openPullHarness();
  harness.sandbox.order("search", { dropReply: true });
  const first = await PullRun.open(harness);
  expect((await failureOf(first.pull())).type).toBe("OutcomeUnknown");
  await first.close({ outcome: "cancelled" });

  harness.sandbox.order("search", { status: 429, headers: { "retry-after": "1" } });
  const second = await PullRun.open(harness, { runId: "run-2" });
  expect((await failureOf(second.pull())).type).toBe("RateLimited");
  const refused = await second.close({ outcome: "cancelled" });
  expect(refused.pull).toMatchObject({ calls: 0, possibly_paid_twice: 0 });

  harness.clock.nowMs += 2_000;
  const report = await (await PullRun.open(harness, { runId: "run-3" })).finish();
  expect(report.pull).toMatchObject({ pages: 4, calls: 4, possibly_paid_twice: 1 });
});
