import { WorkflowUpdateFailedError } from "@temporalio/client";
import { expect, it } from "vitest";

import { backfillId, planOf, startBackfill } from "../../support/project/backfills.ts";
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

it("`sluice backfill` shows the plan, needs --yes without a terminal, and sends", async () => {
  const project = shared();
  await project.write("accounts.csv", accountsCsv(12_000));
  const command = ["backfill", "accounts", "--lanes", "2", "--send", "all"];
  const unasked = await project.sluice(...command);
  expect(unasked.code).toBe(2);
  expect(unasked.stdout).toMatch(/^rows to read +about 1\d,\d{3}, estimated$/m);
  expect(unasked.stdout).toMatch(/^1 +about \d,\d{3}, estimated$/m);
  expect(unasked.stderr).toContain("needs --yes");
  const [asked] = await project.state.runs({ limit: 1 });
  expect(asked).toMatchObject({ workflowId: backfillId, outcome: "discarded" });

  const sent = await project.sluice(...command, "--yes", "--note", "their CRM was wrong");
  expect(sent.code).toBe(0);
  expect(sent.stdout).toMatch(/^ {2}note {8}their CRM was wrong$/m);
  expect(sent.stdout).toMatch(/^lanes +2$/m);
  expect(sent.stdout).toContain("read 12,000 = sent 12,000");
});
