import { describe, expect, it } from "vitest";

import { failureOf } from "../../support/project/harness.ts";
import { accountOf, header, plantedProject, rowOf } from "../../support/project/planted.ts";
import { TestRun } from "../../support/project/test-run.ts";

const schedule = 'schedule: { at: "04:00", time_zone: UTC }';
const dayMs = 24 * 3_600_000;

/** The counts of an unchanged record, a renamed one and one with another domain. */
const overtaken = { same: 1, recent: 2, missing: 0, differs: 0 };

/** The counts of a verify in which a run sends two of the three records after it has begun. */
async function countsBeside(run: { readonly isCommitted: boolean }): Promise<object> {
  const harness = await plantedProject(3, [0, 1, 2].map(accountOf), [`verify: { ${schedule} }`]);
  harness.clock.nowMs += 2 * dayMs;
  const renamed = rowOf(1).replace("Name 1", "Renamed");
  const moved = rowOf(2).replace("c2.example", "moved.example");
  const { api } = harness.deps;
  let hasBegun = false;
  const search: typeof api.search = async (asked) => {
    if (!hasBegun) {
      hasBegun = true;
      await harness.write("accounts.csv", [header, rowOf(0), renamed, moved, ""].join("\n"));
      const beside = await TestRun.open(harness, { runId: "run-2" });
      const staged = await beside.stage();
      await beside.send(staged);
      if (run.isCommitted) await beside.commit(staged);
    }
    return await api.search(asked);
  };
  const { verifySync } = harness.activitiesWith({ api: { ...api, search } });
  return (await harness.perform(verifySync, { sync: "accounts", seed: 7 })).report.counts;
}

describe("verifySync", () => {
  it("counts what it finds in a sample, and names no record and no value", async () => {
    const held = [accountOf(0), accountOf(1), accountOf(2)];
    const harness = await plantedProject(5, held, [`verify: { ${schedule}, sample: 9 }`]);
    harness.clock.nowMs += 2 * dayMs;
    const { report, targets } = await harness.perform(harness.activities.verifySync, {
      sync: "accounts",
      seed: 7,
    });
    expect(report).toMatchObject({
      sync: "accounts",
      seed: 7,
      read: 5,
      calls: 5,
      left: 0,
      counts: { same: 3, missing: 2, differs: 0 },
    });
    expect(JSON.stringify(report)).not.toMatch(/c\d\.example|"a\d"|Name/);
    expect(targets).toEqual([]);
    expect(await harness.sandbox.ledger("search")).toHaveLength(5);
  });

  it("calls nothing missing or different that a run has sent since the look began", async () => {
    expect(await countsBeside({ isCommitted: true })).toMatchObject(overtaken);
  });

  it("calls nothing missing or different that a run is sending", async () => {
    expect(await countsBeside({ isCommitted: false })).toMatchObject(overtaken);
  });

  it("makes no more calls than its calls_max", async () => {
    const harness = await plantedProject(4, [], [`verify: { ${schedule}, calls_max: 2 }`]);
    harness.clock.nowMs += 2 * dayMs;
    const input = { sync: "accounts", seed: 7 };
    const { report } = await harness.perform(harness.activities.verifySync, input);
    expect(report).toMatchObject({ calls: 2, left: 2, counts: { missing: 2 } });
    expect(await harness.sandbox.ledger("search")).toHaveLength(2);
  });

  it("asks for nothing once the file has no `verify` any more", async () => {
    const harness = await plantedProject(1, []);
    const asked = harness.perform(harness.activities.verifySync, { sync: "accounts", seed: 7 });
    expect(await failureOf(asked)).toMatchObject({
      type: "ConfigError",
      message: "sync accounts has no `verify:` any more",
    });
    expect(await harness.sandbox.ledger("search")).toEqual([]);
  });
});
