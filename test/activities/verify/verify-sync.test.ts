import { describe, expect, it } from "vitest";

import { failureOf } from "../../support/project/harness.ts";
import { accountOf, plantedProject } from "../../support/project/planted.ts";

const schedule = 'schedule: { at: "04:00", time_zone: UTC }';
const dayMs = 24 * 3_600_000;

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
