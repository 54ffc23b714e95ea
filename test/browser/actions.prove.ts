import { join } from "node:path";

import { expect, it } from "vitest";

import { until } from "../support/process/process.ts";
import { accountsConfig, accountsCsv, type Project } from "../support/project/project.ts";
import { openProjectWithUi, pictures } from "../support/temporal/web-ui-project.ts";

const timeoutMs = 300_000;
const rows = 10;

async function statusOf(project: Project, id: string): Promise<string> {
  const { status } = await project.temporal.client.workflow.getHandle(id).describe();
  return status.name;
}

async function planned(project: Project, id: string): Promise<void> {
  const handle = project.temporal.client.workflow.getHandle(id);
  await until(async () => (await handle.query("plan")) !== null);
}

// Their effect on every kind of run, and in every phase, is tested through the client: test/web-ui/.
it(
  "a backfill that waits is signalled, refused an update, reset, started again, cancelled and terminated by the Web UI",
  async () => {
    const { project, ui } = await openProjectWithUi({
      "sluice.yaml": accountsConfig({ sync: "approve: { auto_up_to: 0 }" }),
      "accounts.csv": accountsCsv(rows),
    });
    const folder = await pictures();
    const { workflow } = project.temporal.client;
    const input = { sync: "accounts" };
    await workflow.start("backfill", { taskQueue: "sluice", workflowId: "one", args: [input] });
    await planned(project, "one");
    const before = (await workflow.getHandle("one").describe()).runId;

    await ui.sendSignal("one", "hello", '{"any": "thing"}');
    expect(await ui.sendUpdate("one", "pause")).toMatchObject({
      refused: expect.stringContaining("there is nothing to pause") as unknown,
    });
    const events = await ui.reset("one", "first");
    await ui.screenshot(join(folder, "actions-reset.png"));
    expect(events[0]).toContain("WorkflowTaskCompleted");
    await planned(project, "one");
    expect((await workflow.getHandle("one").describe()).runId).not.toBe(before);

    expect(JSON.parse(await ui.startLike("one"))).toEqual(input);
    await ui.start("two");
    await planned(project, "two");
    await ui.cancel("one");
    await until(async () => (await statusOf(project, "one")) === "CANCELLED");
    await ui.terminate("two");
    expect(await statusOf(project, "two")).toBe("TERMINATED");
    expect(await project.ledger()).toEqual([]);

    expect(JSON.parse(await ui.startLike("two"))).toEqual(input);
    await ui.start("three");
    await planned(project, "three");
    expect(await ui.sendUpdate("three", "approve")).toEqual({ accepted: true });
    expect(await workflow.getHandle("three").result()).toMatchObject({
      outcome: "done",
      counts: { sent: rows },
    });
    expect((await project.records()).size).toBe(rows);
  },
  timeoutMs,
);
