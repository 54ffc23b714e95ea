import { describe, expect, it } from "vitest";

import { openedRun } from "../../support/project/test-run.ts";

describe("recordUndelivered", () => {
  it("keeps once as a warning of the run who was not told, and why", async () => {
    const run = await openedRun();
    const { activities } = run.harness;
    const input = {
      runId: "run-1",
      target: "hooks.example-1",
      why: "POST to hooks.example-1: 500",
    };
    await run.harness.perform(activities.recordUndelivered, input);
    await run.harness.perform(activities.recordUndelivered, input);
    expect((await run.stored()).warnings).toEqual([
      "the notification to hooks.example-1 was not delivered: POST to hooks.example-1: 500",
    ]);
  });

  it("passes over a run that was pruned meanwhile", async () => {
    const { harness } = await openedRun();
    const input = { runId: "run-0", target: "hooks.example-1", why: "500" };
    expect(await harness.perform(harness.activities.recordUndelivered, input)).toBeUndefined();
  });
});
