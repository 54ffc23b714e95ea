import { describe, expect, it } from "vitest";

import { replayRejects, type ReplayOptions } from "../../../../src/cli/run/replay.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";

/** The output of `rejects replay` for a project with nothing to replay. */
async function said(
  { folder, sandbox }: Harness,
  options: ReplayOptions,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const environment = readEnvironment({
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const output = {
    print: (text: string) => void lines.push(text),
    say: (text: string) => void lines.push(text),
    exit: () => undefined,
  };
  await replayRejects({ cwd: folder, environment, ...output }, options);
  return lines;
}

/** A project with a run that refused a row, and a later run of a pull. */
async function withRuns(): Promise<{ readonly harness: Harness; readonly run: string }> {
  const files = { "accounts.csv": "id,domain,name\na,a.example,A\nb,,B\n" };
  const harness = await Harness.open({ yaml: accountsYaml(), files });
  const run = await TestRun.open(harness);
  await run.transfer();
  const { state, target } = harness.deps;
  await state.openRun({
    runId: "scores-1",
    sync: "scores",
    target,
    kind: "pull",
    workflowId: "w",
    firstRunId: "f",
    temporalId: "t",
    configHash: "c",
    request: {},
    startedAt: new Date(harness.clock.nowMs + 1_000).toISOString(),
  });
  return { harness, run: run.opened.runId };
}

describe("replayRejects", () => {
  it("takes the newest run of a sync, though a pull ran since, and says which codes it has", async () => {
    const { harness, run } = await withRuns();
    expect(await said(harness, { code: "requird" })).toEqual([
      `run ${run} has no rejects of the code "requird" to replay: there are of required`,
    ]);
  });

  it.each([{ run: "scores-1" }, { sync: "scores" }])(
    "says of a pull's run (%o) that its rejects come by another way",
    async (named) => {
      const { harness } = await withRuns();
      await expect(said(harness, named)).rejects.toMatchObject({
        code: "ConfigError",
        message: "run scores-1 is of a pull, whose rejects cannot be replayed",
        hint: "`sluice pull scores --full` asks the service for its results again",
      });
    },
  );
});
