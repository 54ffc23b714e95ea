import { describe, expect, it } from "vitest";

import { dyingAt, failureOf } from "../../support/project/harness.ts";
import { openedRun, rows, stagedRun } from "../../support/project/test-run.ts";

describe("closeRun twice", () => {
  it("keeps the first outcome and answers the same report", async () => {
    const { run, chunk } = await stagedRun();
    await run.send(chunk);
    await run.commit(chunk);
    const first = await run.close();
    run.harness.clock.nowMs += 1_000;
    const failure = { code: "Unexpected", message: "too late" };
    expect(await run.close({ outcome: "failed", failure })).toEqual(first);
  });

  it("reports after an attempt that died before it gave the lock back", async () => {
    const run = await openedRun();
    await run.transfer();
    const { harness } = run;
    const { closeRun } = harness.activitiesWith(dyingAt(harness, "releaseLock"));
    const input = { runId: "run-1", outcome: "done" } as const;
    await failureOf(harness.perform(closeRun, input));
    expect(await harness.perform(closeRun, input)).toMatchObject({
      outcome: "done",
      balanced: true,
    });
  });

  it("counts what was accepted and not committed as possibly repeated, once", async () => {
    const { run, chunk } = await stagedRun();
    await run.send(chunk);
    await run.close({ outcome: "cancelled" });
    expect(await run.close({ outcome: "cancelled" })).toMatchObject({
      outcome: "cancelled",
      balanced: true,
      possibly_repeated: rows,
      counts: { read: 0, sent: 0 },
    });
  });

  it("answers null for a run that never opened", async () => {
    const { harness } = await openedRun();
    const input = { runId: "unknown", outcome: "failed" } as const;
    expect(await harness.perform(harness.activities.closeRun, input)).toBeNull();
  });
});
