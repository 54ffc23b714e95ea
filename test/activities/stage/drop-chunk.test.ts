import { mkdir, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { cleanUpEnded, keepCleanedUp } from "../../../activities/stage/drop-chunk.ts";
import type { Effect } from "../../../src/effect.ts";
import { hostForgottenMs } from "../../../src/state/limits.ts";
import { stageInline } from "../../support/project/inline-threads.ts";
import { openedRun, stagedFiles, stagedRun, type TestRun } from "../../support/project/test-run.ts";

/** Makes a staging begin its file once it `may`, and then do nothing more, as if its worker were killed. */
async function killWhileStaging(
  { harness, opened }: TestRun,
  may: Promise<void> = Promise.resolve(),
): Promise<{ readonly hasBegun: Promise<void> }> {
  const [isThere, hasBegun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const killed: Effect = async (name, work) => {
    if (name !== "beginFile") return await work();
    isThere.resolve();
    await may;
    await work();
    hasBegun.resolve();
    return await new Promise(() => undefined);
  };
  const stageThreads = stageInline(harness.state, killed);
  const { stageChunk } = harness.activitiesWith({ stageThreads });
  void harness.perform(stageChunk, { ...opened, chunk: 1 });
  await isThere.promise;
  return { hasBegun: hasBegun.promise };
}

const partial = "chunk-1.stage-1.jsonl.gz.partial";

describe("dropChunk twice", () => {
  it("leaves no file of the chunk, and those of the others", async () => {
    const { run } = await stagedRun("chunk: { records: 1 }");
    const { harness } = run;
    const { activities } = harness;
    expect(await stagedFiles(run)).toHaveLength(2);
    const input = { runId: "run-1", chunk: 1 };
    await harness.perform(activities.dropChunk, { ...input, chunk: 2 });
    expect(await stagedFiles(run)).toHaveLength(2);
    await harness.perform(activities.dropChunk, input);
    await harness.perform(activities.dropChunk, input);
    expect(await stagedFiles(run)).toEqual([]);
  });

  it("leaves nothing of a run when no chunk is named", async () => {
    const { run } = await stagedRun();
    const { harness } = run;
    const { activities, deps } = harness;
    await harness.perform(activities.dropChunk, { runId: "run-1" });
    await harness.perform(activities.dropChunk, { runId: "run-1" });
    expect(await readdir(deps.stagingFolder)).toEqual([]);
  });
});

describe("the files of a staging whose worker was killed", () => {
  it("go when the chunk is staged again, and nothing is left of the run that sent it", async () => {
    const run = await openedRun();
    const { activities, deps } = run.harness;
    const { hasBegun } = await killWhileStaging(run);
    await hasBegun;
    expect(await stagedFiles(run)).toEqual([partial]);
    const staged = await run.stage();
    expect(staged.stage).toBe(2);
    expect(await stagedFiles(run)).not.toContain(partial);
    await run.send(staged);
    await run.commit(staged);
    await run.harness.perform(activities.dropChunk, { runId: "run-1" });
    await run.close();
    expect(await readdir(deps.stagingFolder)).toEqual([]);
  });

  it("go, too, where they come once the run has ended, while a worker lives", async () => {
    const run = await openedRun();
    const { deps } = run.harness;
    const late = Promise.withResolvers<void>();
    const { hasBegun } = await killWhileStaging(run, late.promise);
    await run.close({ outcome: "failed" });
    late.resolve();
    await hasBegun;
    expect(await stagedFiles(run)).toEqual([partial]);
    const { stop } = keepCleanedUp(deps, 1);
    onTestFinished(stop);
    await expect
      .poll(async () => await readdir(deps.stagingFolder), { timeout: 10_000 })
      .toEqual([]);
  });
});

describe("the clean-up of a worker", () => {
  it("leaves the files of a run that is open, and all that is not a run's", async () => {
    const { run } = await stagedRun();
    const { deps } = run.harness;
    await mkdir(join(deps.stagingFolder, "lost+found"));
    const before = await stagedFiles(run);
    await cleanUpEnded(deps);
    expect(await stagedFiles(run)).toEqual(before);
    expect(await readdir(deps.stagingFolder)).toContain("lost+found");
  });

  it("removes those of a run that the store does not know, a day after they were touched last", async () => {
    const { run } = await stagedRun();
    const { deps } = run.harness;
    const pruned = join(deps.stagingFolder, "run-pruned");
    await mkdir(pruned);
    const touch = async (agoMs: number): Promise<void> => {
      const at = new Date(Date.now() - agoMs);
      await utimes(pruned, at, at);
    };
    await touch(hostForgottenMs - 60_000);
    await cleanUpEnded(deps);
    expect(await readdir(deps.stagingFolder)).toEqual(["run-1", "run-pruned"]);
    await touch(hostForgottenMs + 1);
    await cleanUpEnded(deps);
    expect(await readdir(deps.stagingFolder)).toEqual(["run-1"]);
  });
});
