import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { StageJob } from "../../../activities/stage/stage-job.ts";
import { createStageThreads } from "../../../activities/stage/stage-threads.ts";
import { accountsCsv, accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** No thread should look at it. */
const anyJob = z.custom<StageJob>().parse({});

describe("stage threads", () => {
  it("do not begin a job whose cancel came before", async () => {
    const threads = createStageThreads({
      openPort: () => {
        throw new Error("a thread was started");
      },
    });
    const reason = new Error("cancelled");
    const attempt = { signal: AbortSignal.abort(reason), progress: () => undefined };
    await expect(threads.run(anyJob, attempt)).rejects.toBe(reason);
    await threads.close();
  });

  it("say what the connector warned of: a quote that is open where an append-only file ends", async () => {
    const harness = await Harness.open({
      yaml: accountsYaml().replace("accounts.csv", "accounts.csv, append_only: true"),
      files: { "accounts.csv": `${accountsCsv(3)}a3,c3.example,"open,3\n` },
      hasThreads: true,
    });
    const run = await TestRun.open(harness);
    await run.stage();
    const { warnings } = (await harness.state.run(run.opened.runId)) ?? {};
    expect(warnings).toEqual([
      expect.stringContaining("accounts.csv:5: a quoted field is still open"),
    ]);
  });
});
