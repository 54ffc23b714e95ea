import { WorkflowUpdateFailedError } from "@temporalio/client";
import { expect, it } from "vitest";

import { planOf, startBackfill } from "../../support/project/backfills.ts";
import { accountsConfig, accountsCsv } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const rows = 20_000;

const shared = sharedProject({
  "sluice.yaml": accountsConfig({
    sync: "chunk: { records: 4000 }\n    approve: { auto_up_to: 100 }",
  }),
  "accounts.csv": accountsCsv(rows),
});

it(
  "the workflow backfill plans, waits for its consent, sends its lanes, and leaves the checkpoint " +
    "where it is",
  async () => {
    const project = shared();
    const handle = await startBackfill(project, { sync: "accounts", lanes: 4, send: "all" });
    const plan = await planOf(handle);
    // A file is not counted to its end for a plan.
    expect(plan).toMatchObject({ sync: "accounts", is_counted: false });
    expect(Math.abs((plan.rows ?? 0) - rows)).toBeLessThan(5_000);
    expect(plan.lanes).toHaveLength(4);
    expect(await project.records()).toEqual(new Map());

    await expect(handle.executeUpdate("pause")).rejects.toThrow(WorkflowUpdateFailedError);
    await handle.executeUpdate("approve");
    expect(await handle.result()).toMatchObject({
      kind: "backfill",
      outcome: "done",
      balanced: true,
      counts: { read: rows, sent: rows },
      checkpoint: { before: 0, after: 0 },
    });
    expect((await project.records()).size).toBe(rows);
    expect(await project.state.runs({ limit: 10 })).toHaveLength(1);
    expect(await project.stagedRuns()).toEqual([]);
  },
);
