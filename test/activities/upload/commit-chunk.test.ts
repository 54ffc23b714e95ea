import { describe, expect, it } from "vitest";

import { failureOf } from "../../support/project/harness.ts";
import { stagedRun, type Staged, type TestRun } from "../../support/project/test-run.ts";

describe("commitChunk twice", () => {
  it("moves the checkpoint once", async () => {
    const { run, chunk } = await stagedRun();
    const { state, deps } = run.harness;
    await run.send(chunk);
    await run.commit(chunk);
    const name = { target: deps.target, sync: "accounts" };
    const checkpoint = await state.checkpoint(name);
    await run.commit(chunk);
    expect(await state.checkpoint(name)).toEqual(checkpoint);
    expect(checkpoint).toMatchObject({ version: 1, runId: "run-1" });
  });

  it.each([
    ["nothing was sent", async () => undefined],
    [
      "the upload is not confirmed",
      async (run: TestRun, chunk: Staged) => {
        await run.harness.perform(run.harness.activities.uploadFile, run.part(chunk));
      },
    ],
  ])("moves it not at all while %s", async (_, prepare) => {
    const { run, chunk } = await stagedRun();
    await prepare(run, chunk);
    expect(await failureOf(run.commit(chunk))).toMatchObject({
      type: "NotBalanced",
      nonRetryable: true,
    });
    const { state, deps } = run.harness;
    expect(await state.checkpoint({ target: deps.target, sync: "accounts" })).toMatchObject({
      version: 0,
    });
  });

  it("stops when someone else moved the checkpoint", async () => {
    const { run, chunk } = await stagedRun();
    const { state, deps } = run.harness;
    const name = { target: deps.target, sync: "accounts" };
    const change = { version: 0, position: null, reason: "a test", at: "2026-01-01T00:00:00Z" };
    await state.setCheckpoint({ ...name, ...change });
    await run.send(chunk);
    expect(await failureOf(run.commit(chunk))).toMatchObject({ type: "CheckpointMoved" });
  });
});
