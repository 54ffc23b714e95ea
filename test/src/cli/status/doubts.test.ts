import { describe, expect, it } from "vitest";

import {
  doubtJson,
  doubtLines,
  lookForDoubts,
  type ConfiguredSync,
  type DoubtStatus,
} from "../../../../src/cli/status/doubts.ts";
import type { DoubtFacts } from "../../../../src/state/contract/doubts/doubt-store.ts";
import { inDoubt, overMs } from "../../../support/project/doubt-story.ts";
import type { Harness } from "../../../support/project/harness.ts";
import { rows } from "../../../support/project/test-run.ts";

const accounts: ConfiguredSync = {
  target: "https://service",
  sync: "accounts",
  isPush: false,
  isUnderWay: false,
};
const nothing: DoubtFacts = {
  inDoubt: 0,
  due: 0,
  waitMs: undefined,
  lost: 0,
  pending: 0,
  pendingMs: 0,
  stray: 0,
};

function statusOf(
  facts: Partial<DoubtFacts>,
  configured: ConfiguredSync | undefined = accounts,
): DoubtStatus {
  const { target, sync } = accounts;
  return { target, sync, configured, facts: { ...nothing, ...facts }, lost: [], stray: [] };
}

/** The doubts of a project that configures these syncs. */
async function lookAt(
  { deps, clock }: Harness,
  syncs: readonly ConfiguredSync[],
): Promise<DoubtStatus[]> {
  return await lookForDoubts(deps.state, syncs, clock.moment());
}

describe("what is in doubt", () => {
  it("is told for how long, and told otherwise once that is over", async () => {
    const harness = await inDoubt();
    const configured = { ...accounts, target: harness.deps.target };
    const [status] = await lookAt(harness, [configured]);
    expect(status && doubtLines(status)).toEqual([
      expect.stringMatching(
        new RegExp(
          String.raw`^accounts: an older value may still be applied over 5 records, for \d+ min → a ` +
            "worker sends them once more when that is over",
        ),
      ),
    ]);
    expect(status && doubtJson(status)).toMatchObject({
      configured: true,
      in_doubt: rows,
      due: 0,
      wait_ms: status?.facts.waitMs,
    });
    expect(status?.facts.waitMs).toBeGreaterThan(0);
    harness.clock.nowMs += overMs;
    const [later] = await lookAt(harness, [configured]);
    expect(later && doubtLines(later)).toEqual([
      expect.stringMatching(/may have been applied over 5 records → .* once more now/),
    ]);
  });

  it("is told of a sync that is not configured any more, with both ways on", async () => {
    const harness = await inDoubt();
    const { target } = harness.deps;
    const [status, ...others] = await lookAt(harness, [{ ...accounts, target, sync: "others" }]);
    expect([status?.sync, status?.facts.inDoubt, others]).toEqual(["accounts", rows, []]);
    const line = status && doubtLines(status)[0];
    expect(line).toContain(`accounts of ${target}: an older value may have been applied over 5`);
    expect(line).toContain("configure it again");
    expect(line).toContain(`\`sluice state reset accounts --target '${target}' --reason …\``);
  });

  it("names the keys of which the newer line is lost", async () => {
    const harness = await inDoubt();
    const { deps, clock } = harness;
    clock.nowMs += overMs;
    const { state, target } = deps;
    const after = { send: 0, record: -1 };
    const asked = { target, sync: "accounts", now: clock.moment(), after, limit: 1 };
    for (const { send } of await state.doubtfulRecords(asked)) await state.loseLines({ send });
    const [status] = await lookAt(harness, [{ ...accounts, target }]);
    expect(status && doubtLines(status)).toEqual([
      expect.stringContaining(
        "the service refused it): a0, a1, a2, a3, a4 → `sluice backfill accounts`",
      ),
    ]);
    expect(status && doubtJson(status)).toMatchObject({
      lost_keys: ["a0", "a1", "a2", "a3", "a4"],
    });
  });

  it("is no matter of a backfill where others post the rows", () => {
    const [line] = doubtLines(statusOf({ lost: 1 }, { ...accounts, isPush: true }));
    expect(line).toContain("have their sender post them again");
    expect(line).not.toContain("backfill");
  });

  it("says of requests alone how long they may still be applied, but not while their run continues", () => {
    const pending = { pending: 1, pendingMs: 61_000 };
    expect(doubtLines(statusOf(pending))).toEqual([
      "accounts: the outcome of requests with 1 record is unknown: they may still be applied, " +
        "for 2 min → records sent meanwhile are sent once more",
    ]);
    expect(doubtLines(statusOf(pending, { ...accounts, isUnderWay: true }))).toEqual([]);
  });
});
