import { describe, expect, it } from "vitest";

import { until } from "../../support/process/process.ts";
import { accountsCsv, failureOf } from "../../support/project/harness.ts";
import { rows, stagedRun, TestRun, type Staged } from "../../support/project/test-run.ts";

/** A run whose workflow was terminated with its only chunk staged, and the run that took over the send lock. */
async function takenOver(
  before: (run: TestRun, chunk: Staged) => Promise<void> = async () => undefined,
): Promise<{ readonly zombie: TestRun; readonly chunk: Staged; readonly next: TestRun }> {
  const { run: zombie, chunk } = await stagedRun();
  await before(zombie, chunk);
  zombie.harness.terminated.add("first-run-1");
  const next = await TestRun.open(zombie.harness, { runId: "run-2" });
  return { zombie, chunk, next };
}

describe("a run whose send lock another took over", () => {
  it("writes nothing any more, whichever of its activities still runs", async () => {
    const { zombie, chunk, next } = await takenOver();
    const { harness, opened } = zombie;
    const { activities, sandbox } = harness;
    const part = zombie.part(chunk);
    const works = [
      async () => await harness.perform(activities.stageChunk, { ...opened, chunk: 1 }),
      async () => await harness.perform(activities.uploadJson, part),
      async () => await harness.perform(activities.uploadFile, part),
      async () => await harness.perform(activities.confirmUpload, { ...part, fileKey: "key" }),
      async () => await harness.perform(activities.commitChunk, { ...opened, ...chunk }),
    ];
    for (const work of works) {
      expect(await failureOf(work())).toMatchObject({ type: "Superseded", nonRetryable: true });
    }
    expect(await sandbox.ledger()).toEqual([]);
    expect(await next.transfer()).toMatchObject({ counts: { sent: rows }, balanced: true });
  });

  it("has what it sent counted as possibly repeated, and its successor sends it again", async () => {
    const { zombie, chunk, next } = await takenOver(async (run, staged) => await run.send(staged));
    const split = zombie.split(zombie.part(chunk), { without: [{ index: 0 }] });
    expect(await failureOf(split)).toMatchObject({ type: "Superseded" });
    expect(await next.transfer()).toMatchObject({ counts: { sent: rows }, possibly_repeated: 0 });
    expect(await zombie.close({ outcome: "failed" })).toMatchObject({ possibly_repeated: rows });
    expect(await zombie.harness.sandbox.recordsTaken()).toBe(2 * rows);
  });

  it(
    "makes everything unknown when it wakes after its last look and the service takes its part, so " +
      "that newer data wins",
    async () => {
      const { run: zombie, chunk } = await stagedRun();
      const { harness } = zombie;
      const { api, state } = harness.deps;
      const sleep = Promise.withResolvers<void>();
      const uploadJson: typeof api.uploadJson = async (input) => {
        await sleep.promise;
        return await api.uploadJson(input);
      };
      const asleep = harness.activitiesWith({ api: { ...api, uploadJson } });
      const part = zombie.part(chunk);
      const late = failureOf(harness.perform(asleep.uploadJson, part));
      await until(async () => (await state.receipt(part))?.state === "sending");
      harness.terminated.add("first-run-1");
      await harness.write(
        "accounts.csv",
        accountsCsv(rows, (row) => `newer ${row}`),
      );
      await (await TestRun.open(harness, { runId: "run-2" })).transfer();

      sleep.resolve();

      expect(await late).toMatchObject({ type: "Superseded", nonRetryable: true });
      expect((await harness.sandbox.names()).get("a0")).toBe("name 0");
      const third = await TestRun.open(harness, { runId: "run-3" });
      expect(await third.transfer()).toMatchObject({ counts: { sent: rows, unchanged: 0 } });
      expect((await harness.sandbox.names()).get("a0")).toBe("newer 0");
    },
  );

  it("ends as abandoned at once, and keeps that outcome", async () => {
    const { zombie } = await takenOver();
    expect(await zombie.stored()).toMatchObject({ outcome: "abandoned" });
    expect(await zombie.close({ outcome: "cancelled" })).toMatchObject({ outcome: "abandoned" });
  });

  it("does not take the lock back, nor give its successor's away", async () => {
    const { zombie, next } = await takenOver();
    await zombie.close({ outcome: "failed" });
    expect(await next.transfer()).toMatchObject({ outcome: "done" });
  });
});
