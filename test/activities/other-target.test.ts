import { describe, expect, it } from "vitest";

import { accountsCsv, accountsYaml, failureOf, Harness } from "../support/harness.ts";
import { TestRun } from "../support/test-run.ts";

describe("a run that was begun for another service", () => {
  it("sends nothing there, whichever step a worker with another address is given", async () => {
    const harness = await Harness.open({
      yaml: accountsYaml("mode: heavyweight"),
      files: { "accounts.csv": accountsCsv(3) },
    });
    const run = await TestRun.open(harness);
    const staged = await run.stage();
    const part = run.part(staged);
    const elsewhere = harness.activitiesWith({ target: "https://other.example main" });
    const attempts = [
      harness.perform(elsewhere.stageChunk, { ...run.opened, chunk: 2 }),
      harness.perform(elsewhere.uploadFile, part),
      harness.perform(elsewhere.uploadJson, part),
      harness.perform(elsewhere.confirmUpload, { ...part, fileKey: "key" }),
    ];
    for (const attempt of attempts) {
      const failure = await failureOf(attempt);
      expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
      expect(failure?.message).toContain("sends to https://other.example main");
    }
    // The worker of the first address goes on where the run stood.
    await expect(harness.perform(harness.activities.uploadFile, part)).resolves.toHaveProperty(
      "fileKey",
    );
  });
});
