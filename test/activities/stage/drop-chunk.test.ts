import { readdir } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { stagedFiles, stagedRun } from "../../support/project/test-run.ts";

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
