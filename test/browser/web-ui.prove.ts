import { join } from "node:path";

import { WorkflowFailedError } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import { accountsConfig, accountsCsv } from "../support/project/project.ts";
import { openProjectWithUi, pictures } from "../support/temporal/web-ui-project.ts";

const form = { type: "sync", taskQueue: "sluice" };

const files = {
  "sluice.yaml": accountsConfig(),
  "accounts.csv": `${accountsCsv(10)}a10,not a domain,X,1\n`,
};

describe("the Web UI", () => {
  it("starts a sync with what is typed into the form, shows its counts, and offers the same input again", async () => {
    const { project, ui } = await openProjectWithUi(files);
    const folder = await pictures();
    expect(await ui.startForm(form)).toBe("");
    await ui.start("by-hand", '{"sync":"accounts"}');
    await ui.screenshot(join(folder, "sync-started.png"));
    await project.temporal.client.workflow.getHandle("by-hand").result();

    const details = await ui.details("by-hand");
    await ui.screenshot(join(folder, "sync-details.png"));
    expect(details).toContain("accounts: done with rejects");
    expect(details).toMatch(/rows read\s+11\n/);
    expect(details).toMatch(/sent\s+10\n/);
    expect(details).toMatch(/rejected\s+1\n/);
    expect(details).toContain("./accounts.csv:12");
    expect((await project.records()).size).toBe(10);

    expect(await ui.startForm({ ...form, workflowId: "by-hand" })).toBe(
      '{\n  "sync": "accounts"\n}',
    );
    await ui.screenshot(join(folder, "sync-prefilled.png"));
  });

  it("shows for a wrong input what is wrong and an input to paste", async () => {
    const { project, ui } = await openProjectWithUi(files);
    await ui.startForm(form);
    await ui.start("by-hand", '{"sync":"accounts","limits":5}');
    const handle = project.temporal.client.workflow.getHandle("by-hand");
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    const failure = await ui.failure("by-hand");
    await ui.screenshot(join(await pictures(), "sync-wrong.png"));
    expect(failure).toContain('Unrecognized key: "limits"');
    expect(failure).toContain('Try:\n{"sync":"accounts"}');
    expect(await project.ledger()).toEqual([]);
  });
});
