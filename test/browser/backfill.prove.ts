import { join } from "node:path";

import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import type { Progress } from "../../workflows/sync/progress.ts";
import { until } from "../support/process/process.ts";
import { accountsConfig, accountsCsv } from "../support/project/project.ts";
import { openProjectWithUi, pictures } from "../support/temporal/web-ui-project.ts";

const timeoutMs = 180_000;
const id = "backfill-accounts";
const form = { type: "backfill", taskQueue: "sluice", workflowId: id };

function filesOf(rows: number): Readonly<Record<string, string>> {
  return {
    "sluice.yaml": accountsConfig({
      sync: "chunk: { records: 1000 }\n    approve: { auto_up_to: 100 }",
    }),
    "accounts.csv": accountsCsv(rows),
  };
}

describe("a backfill from the Web UI", () => {
  it(
    "is prefilled, shows its plan, waits for the update `approve`, and ends with the right counts",
    async () => {
      const { project, ui } = await openProjectWithUi(filesOf(12_000));
      const folder = await pictures();
      const handle = project.temporal.client.workflow.getHandle(id);
      // The worker leaves an example for the form.
      await until(async () => (await handle.describe().catch(() => undefined))?.status.name);
      const prefilled = await ui.startForm(form);
      expect(prefilled).toContain('"sync": "accounts"');
      await ui.screenshot(join(folder, "backfill-form.png"));
      await ui.start(id, '{"sync": "accounts", "lanes": 2}');

      await until(async () => (await handle.query("plan")) !== null);
      const plan = await ui.details(id);
      await ui.screenshot(join(folder, "backfill-plan.png"));
      expect(plan).toContain("accounts: the plan of a backfill");
      expect(plan).toMatch(/rows to read\s+about 1\d,\d{3}, estimated/);
      expect(plan).toContain("1,000 new");
      const offered = (await ui.updatesOffered(id)).map(({ name }) => name);
      expect(offered).toEqual(
        expect.arrayContaining(["approve", "discard", "pause", "resume", "set_lanes"]),
      );
      expect(await project.records()).toEqual(new Map());

      expect(await ui.sendUpdate(id, "approve")).toEqual({ accepted: true });
      await handle.result();
      const details = await ui.details(id);
      await ui.screenshot(join(folder, "backfill-done.png"));
      expect(details).toContain("accounts: done");
      expect(details).toMatch(/rows read\s+12000\n/);
      expect(details).toMatch(/sent\s+12000\n/);
      expect(details).toContain("approved by a person");
      expect((await project.records()).size).toBe(12_000);
    },
    timeoutMs,
  );

  it(
    "says for a wrong input what is wrong and gives one to paste",
    async () => {
      const { project, ui } = await openProjectWithUi(filesOf(10));
      await ui.startForm({ ...form, workflowId: "wrong" });
      await ui.start("wrong", '{"sync": "acounts", "form": "2026-01-01"}');
      const handle = project.temporal.client.workflow.getHandle("wrong");
      await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
      const failure = await ui.failure("wrong");
      expect(failure).toContain('did you mean "accounts"');
      const details = await ui.details("wrong");
      await ui.screenshot(join(await pictures(), "backfill-wrong.png"));
      expect(details).toContain("This input cannot be used");
      expect(details).toContain('{"sync":"accounts","from":"2026-01-01"');
      expect(await project.ledger()).toEqual([]);
    },
    timeoutMs,
  );

  it(
    "pauses after the update `pause`, refuses a second one, and continues after `resume`",
    async () => {
      const { project, ui } = await openProjectWithUi(filesOf(6_000));
      project.sandbox.order({ step: "put", after: 1, do: { delayMs: 40_000 } });
      const handle = project.temporal.client.workflow.getHandle("paused");
      await ui.startForm({ ...form, workflowId: "paused" });
      await ui.start("paused", '{"sync": "accounts", "approve": "auto"}');
      const progress = async (): Promise<Progress> => await handle.query<Progress>("progress");
      await until(async () => (await progress()).counts.committed_chunks > 0);
      expect(await ui.sendUpdate("paused", "pause")).toEqual({ accepted: true });
      await until(async () => (await project.lockHolder()) === undefined);
      expect(await ui.details("paused")).toContain("backfill paused");
      await ui.screenshot(join(await pictures(), "backfill-paused.png"));
      expect(await ui.sendUpdate("paused", "pause")).toMatchObject({
        refused: expect.stringContaining("it is paused already") as unknown,
      });
      const { committed_chunks: before } = (await progress()).counts;
      expect(before).toBeLessThan(6);
      expect(await ui.sendUpdate("paused", "resume")).toEqual({ accepted: true });
      expect(await handle.result()).toMatchObject({ outcome: "done", counts: { sent: 6_000 } });
    },
    timeoutMs,
  );
});
