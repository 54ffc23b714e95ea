import { describe, expect, it } from "vitest";

import { end } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, type Project } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const rows = 10;

const yaml = accountsConfig({ sync: "hold_if: { changed_above: 30% }" });
const shared = sharedProject({
  "sluice.yaml": yaml,
  "accounts.csv": accountsCsv(rows),
});

/** Rows, four of which have another name. */
function changedCsv(version: number): string {
  return accountsCsv(rows, (row) => (row < 4 ? `Renamed ${version}.${row}` : `Company ${row}`));
}

/** The number of requests that brought the service something, or should have. */
async function ingested(project: Project): Promise<number> {
  return (await project.ledger()).filter(({ step }) => step !== "ping").length;
}

describe("a night in which too much changed", () => {
  it("sends nothing until somebody approves it, and then exactly what was staged", async () => {
    const project = shared();
    const first = await project.sluice("run", "accounts", "--json");
    expect(JSON.parse(first.stdout)).toMatchObject({ outcome: "done", changes: { new: rows } });
    const [sent, before] = [await ingested(project), await project.records()];

    await project.write("accounts.csv", changedCsv(1));
    const held = await project.sluice("run", "accounts");
    expect(held.code).toBe(5);
    expect(held.stdout).toContain("changed_above 30%: 4 of 10 known records changed (40%)");
    expect(held.stdout).toContain("changed in account_properties.name 4");
    const { run_id: run } = await project.report();
    const status = await project.sluice("status");
    expect(status.stdout).toMatch(/^accounts .* held .* held since .*`sluice approve accounts-/m);

    // The next night: the held run keeps the lock.
    const next = await project.start({ sync: "accounts" });
    const busy = await next.result();
    expect(busy.outcome).toBe("busy");
    expect(busy.error?.message).toContain("which is held since");
    expect(await ingested(project)).toBe(sent);

    await project.write("accounts.csv", changedCsv(2));
    const approved = await project.sluice("approve", run, "--json");
    expect(JSON.parse(approved.stdout)).toMatchObject({
      run_id: run,
      outcome: "done",
      counts: { read: rows, sent: 4, unchanged: 6 },
      changes: { changed: 4, fields: [{ field: "account_properties.name", records: 4 }] },
    });
    const after = await project.records();
    expect(after.get("a0")).toContain("Renamed 1.0");
    expect(after.get("a9")).toBe(before.get("a9"));
    const again = await project.sluice("approve", run);
    expect([again.code, again.stderr]).toEqual([
      2,
      `sluice: run ${run} is not held: it has ended as done\n  → look at \`sluice runs show ${run}\`\n`,
    ]);
  });

  it("leaves everything as it was when it is discarded", async () => {
    const project = shared();
    await project.write("accounts.csv", accountsCsv(rows));
    const settled = await project.sluice("run", "accounts");
    expect(settled.code).toBe(5);
    const { run_id: run } = await project.report();
    const [sent, before] = [await ingested(project), await project.records()];
    const discarded = await project.sluice("discard", run, "--json");
    expect(discarded.code).toBe(0);
    expect(JSON.parse(discarded.stdout)).toMatchObject({
      outcome: "discarded",
      counts: { sent: 0 },
    });
    expect(await project.stagedRuns()).toEqual([]);
    expect([await ingested(project), await project.records()]).toEqual([sent, before]);
  });

  it("is not approved where the worker knows its sync by another name, and is once that has its own", async () => {
    const project = shared();
    await project.write("accounts.csv", changedCsv(1));
    expect((await project.sluice("run", "accounts")).code).toBe(0);
    await project.write("accounts.csv", accountsCsv(rows));
    expect((await project.sluice("run", "accounts")).code).toBe(5);
    const { run_id: run } = await project.report();
    const restart = async (): Promise<void> => {
      for (const worker of project.workers) await end(worker, "SIGTERM");
      await project.worker();
    };
    await project.write("sluice.yaml", yaml.replace("  accounts:\n", "  companies:\n"));
    await restart();
    await project.write("sluice.yaml", yaml);
    const early = await project.sluice("approve", run);
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringContaining('sluice worker) was started before sync "accounts" was added'),
    ]);
    expect((await project.report()).outcome).toBe("held");
    await restart();
    expect((await project.sluice("approve", run)).code).toBe(0);
    expect((await project.records()).get("a0")).toContain("Company 0");
  });
});
