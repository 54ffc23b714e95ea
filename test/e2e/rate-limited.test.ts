import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { until } from "../support/process.ts";
import { accountsConfig, accountsCsv, Project } from "../support/project.ts";

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
    const leftMs = Date.parse(time) - Date.now();
    expect(leftMs).toBeGreaterThan(40_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    const { raw } = await handle.describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
    expect(await project.ledger()).toHaveLength(1);

    const cancelledAt = Date.now();
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    expect(Date.now() - cancelledAt).toBeLessThan(5_000);
    expect(await project.report()).toMatchObject({ outcome: "cancelled", balanced: true });
  }, 60_000);
});
