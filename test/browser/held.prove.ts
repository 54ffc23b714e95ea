import { rm } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { end, until } from "../support/process/process.ts";
import { accountsConfig, accountsCsv, type Project } from "../support/project/project.ts";
import { openProjectWithUi, pictures } from "../support/temporal/web-ui-project.ts";

const timeoutMs = 300_000;
const [rows, changed] = [100, 31];

/** A night in which this many rows have another name than in the first. */
function nightCsv(night: number): string {
  return accountsCsv(rows, (row) => (row < changed ? `Renamed ${night}.${row}` : `Company ${row}`));
}

/** Starts a night, and waits until it is held. */
async function heldNight(project: Project, id: string): Promise<void> {
  const { workflow } = project.temporal.client;
  const args = [{ sync: "accounts" }];
  await workflow.start("sync", { taskQueue: "sluice", workflowId: id, args });
  await until(async () => (await project.report()).outcome === "held");
}

it(
  "a night in which 31 % of the rows changed is approved in the Web UI, and another is discarded there",
  async () => {
    const { project, ui, worker } = await openProjectWithUi({
      "sluice.yaml": accountsConfig({ sync: "hold_if: { changed_above: 30% }" }),
      "accounts.csv": accountsCsv(rows),
    });
    const ingested = async (): Promise<number> =>
      (await project.ledger()).filter(({ step }) => step !== "ping").length;
    const first = await project.start({ sync: "accounts" });
    expect(await first.result()).toMatchObject({ outcome: "done", counts: { sent: rows } });
    const sent = await ingested();

    await project.write("accounts.csv", nightCsv(1));
    await heldNight(project, "night-1");
    const details = await ui.details("night-1");
    expect(details).toContain("changed_above 30%: 31 of 100 known records changed (31%)");
    expect(details).toContain("changed, for example: ./accounts.csv:2, ./accounts.csv:3,");
    expect(details).not.toContain("Renamed");
    await ui.screenshot(join(await pictures(), "held-details.png"));
    const names = (await ui.updatesOffered("night-1")).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["approve", "discard"]));
    const [approval = ""] = /\{"hold":\s*1,\s*"digest":\s*"[0-9a-f]{12}"\}/.exec(details) ?? [];
    expect(
      await ui.sendUpdate("night-1", "approve", '{"hold": 1, "digest": "000000000000"}'),
    ).toEqual({
      refused: expect.stringContaining("that is not what is held now") as unknown,
    });

    // While it waits, its files are lost, and another process replaces its worker.
    await rm(join(project.folder, ".sluice/staging"), { recursive: true });
    await end(worker, "SIGTERM");
    await project.worker();
    expect(await ingested()).toBe(sent);
    expect(await ui.sendUpdate("night-1", "approve", approval)).toEqual({ accepted: true });
    const handle = project.temporal.client.workflow.getHandle("night-1");
    expect(await handle.result()).toMatchObject({
      outcome: "done",
      counts: { read: rows, sent: changed, unchanged: rows - changed },
      hold: { number: 1 },
    });
    const after = await project.records();
    expect([after.get("a0"), after.get("a30"), after.get("a31")]).toEqual([
      expect.stringContaining("Renamed 1.0"),
      expect.stringContaining("Renamed 1.30"),
      expect.stringContaining("Company 31"),
    ]);

    const before = await ingested();
    await project.write("accounts.csv", nightCsv(2));
    await heldNight(project, "night-2");
    expect(await ui.sendUpdate("night-2", "discard")).toEqual({ accepted: true });
    const ended = project.temporal.client.workflow.getHandle("night-2");
    expect(await ended.result()).toMatchObject({ outcome: "discarded", counts: { sent: 0 } });
    expect([await ingested(), await project.records()]).toEqual([before, after]);
  },
  timeoutMs,
);
