import { describe, expect, it } from "vitest";

import { accountsCsv, accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

describe("stage threads", () => {
  it("stage rows of any length: a page is bounded in bytes, too", async () => {
    const long = accountsCsv(1_200, (row) => `${row} ${"x".repeat(100_000)}`);
    const harness = await Harness.open({
      yaml: accountsYaml(),
      files: { "accounts.csv": long },
      hasThreads: true,
    });
    const run = await TestRun.open(harness);
    const staged = await run.stage();
    expect(staged).toMatchObject({ records: 1_200, done: true });
  });
});
