import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const progress = z.object({ waiting: z.string().nullable() });

describe("a long rate limit", () => {
  it("is waited for by the workflow, which says so, runs nothing meanwhile and ends soon after a cancel", async () => {
    const project = await Project.start(onTestFinished, {
      "sluice.yaml": accountsConfig(),
      "accounts.csv": accountsCsv(3),
    });
    await project.worker();
    const tooMany = { status: 429, headers: { "retry-after": "60" } };
    project.sandbox.order({ step: "upload-json", do: tooMany });
    const handle = await project.start({ sync: "accounts" });
    const waiting = await until(async () => {
      const answer = await handle.query("progress");
      return progress.parse(answer).waiting ?? undefined;
    });
    const [, time = ""] = /^rate limited until (\S+Z)/.exec(waiting) ?? [];
    expect(Date.parse(time) - Date.now()).toBeLessThanOrEqual(60_000);
    const { raw } = await handle.describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
    const [refused, ...more] = await project.ledger();
    expect(more).toEqual([]);
    // The ledger's line is written before the answer leaves.
    expect(Date.parse(time) - Date.parse(refused?.t ?? "")).toBeGreaterThanOrEqual(60_000);

    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    expect(await project.msToCancel(handle.workflowId)).toBeLessThan(5_000);
    expect(await project.report()).toMatchObject({ outcome: "cancelled", balanced: true });
  });
});
