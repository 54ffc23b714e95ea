import type { WorkflowHandle } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import { endLostHolds } from "../../../src/schedules/lost-holds.ts";
import type { Hold } from "../../../src/state/contract/runs/holds.ts";
import { until } from "../../support/process/process.ts";
import { reportWith } from "../../support/project/report.ts";
import { taskQueue } from "../../support/temporal/world.ts";
import { fakeWorld, goodRun, progressOf } from "../fake-world.ts";

const fakes = fakeWorld();

const hold: Hold = {
  number: 1,
  digest: "0123abcd",
  since: "2026-01-02T03:04:05.000Z",
  broken: [],
  approvedAt: null,
};

async function isOpen(handle: WorkflowHandle): Promise<boolean> {
  return (await handle.describe()).status.name === "RUNNING";
}

describe("a worker that starts on a store from a backup", () => {
  it("ends those of its store that this does not know as held, and no other", async () => {
    const stored = new Map<string, { readonly hold: Hold | null }>();
    const run = fakes({
      ...goodRun(1, { consentMs: 60_000 }),
      weighRun: async () => hold,
      closeRun: async ({ runId, outcome }) =>
        stored.has(runId) ? reportWith({ run_id: runId, outcome }) : null,
    });
    const heldRun = async (store?: string): Promise<WorkflowHandle> => {
      const memo = store === undefined ? {} : { sluice_store: store };
      const handle = await run.start("sync", { sync: "accounts" }, memo);
      await run.until(async () => (await progressOf(handle)).held !== undefined);
      return handle;
    };
    const ours = "store-of-lost-holds";
    const [gone, foreign, known, behind] = [
      await heldRun(ours),
      await heldRun("another"),
      await heldRun(ours),
      await heldRun(),
    ];
    stored.set((await progressOf(known)).run_id, { hold });
    stored.set((await progressOf(behind)).run_id, { hold: null });
    // The last one is listed, and queried, first.
    const unasked = await heldRun(ours);
    const { run_id: unaskedRun } = await progressOf(unasked);
    const [warned, named] = [new Set<string>(), new Set<string>()];
    const { client } = gone;
    // Temporal's list of workflows lags behind.
    await until(async () => {
      await endLostHolds({
        client: { workflow: client, withDeadline: client.withDeadline.bind(client) },
        taskQueue,
        state: {
          storeId: ours,
          run: async (runId) => {
            if (runId === unaskedRun) throw new Error("it cannot be asked");
            return await Promise.resolve(stored.get(runId));
          },
        },
        log: {
          warn: (facts, text) => {
            warned.add(text);
            if (text.includes("another state store knows it")) named.add(JSON.stringify(facts));
          },
        },
      });
      return !(await isOpen(gone)) && !(await isOpen(behind));
    });
    await expect(gone.result()).rejects.toMatchObject({
      cause: { type: "WrongStore", message: expect.stringContaining("restored") as unknown },
    });
    expect(await behind.result()).toMatchObject({ outcome: "discarded" });
    expect(await Promise.all([foreign, known, unasked].map(isOpen))).toEqual([true, true, true]);
    expect([...warned].toSorted()).toEqual([
      expect.stringContaining("nobody could ask whether this run is held"),
      expect.stringMatching(/another state store knows it: .*`sluice cancel fake-\S+` ends it/),
      expect.stringContaining("the state store, which is older, does not know that"),
    ]);
    const { run_id: foreignRun } = await progressOf(foreign);
    const { workflowId } = foreign;
    expect([...named]).toEqual([JSON.stringify({ run: foreignRun, workflow: workflowId })]);
    for (const handle of [foreign, known, unasked]) await handle.executeUpdate("discard");
  });
});
