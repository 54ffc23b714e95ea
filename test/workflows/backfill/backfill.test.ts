import type { WorkflowHandle } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import type { OpenBackfillInput } from "../../../activities/inputs.ts";
import {
  detailsOf,
  fakeWorld,
  fault,
  goodBackfill,
  heldUntil,
  progressOf,
  wasCancelled,
  type Faked,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };

/** Waits until a backfill asks for approval. */
async function asked(run: Faked, handle: WorkflowHandle): Promise<void> {
  await run.until(async () => (await progressOf(handle)).needs_approval);
}

/** Why an update is refused; undefined if it is accepted. */
async function refusalOf(
  handle: WorkflowHandle,
  update: string,
  argument?: unknown,
): Promise<unknown> {
  return await handle.executeUpdate<void, [unknown]>(update, { args: [argument] }).then(
    () => undefined,
    (error: unknown) =>
      error instanceof Error && error.cause instanceof Error ? error.cause.message : error,
  );
}

describe("a backfill", () => {
  it("shows its plan, sends nothing before its consent, and then what was agreed to", async () => {
    const opened: OpenBackfillInput[] = [];
    const good = goodBackfill({ lanes: 2, isApproved: false });
    const run = fakes({
      ...good,
      openBackfill: async (asking) => {
        opened.push(asking);
        return await good.openBackfill(asking);
      },
    });
    const handle = await run.start("backfill", input);
    await asked(run, handle);
    const plan = await handle.query("plan");
    expect(plan).toMatchObject({ sync: "accounts", lanes: [10, 10] });
    expect(await detailsOf(handle)).toContain("it is large");
    expect(run.calls).toEqual(["planBackfill"]);
    await handle.executeUpdate("approve");
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(opened).toMatchObject([{ raw: input, approved: plan }]);
    expect(run.callsOf("commitChunk").toSorted()).toEqual(["commitChunk 1", "commitChunk 2:1"]);
    expect(run.callsOf("advanceCheckpoint")).toEqual([]);
    const { needs_approval: needsApproval, counts } = await progressOf(handle);
    expect(needsApproval).toBe(false);
    expect(counts).toMatchObject({ read: 20, sent: 20, committed_chunks: 2 });
  });

  it("begins by itself where its plan needs no consent", async () => {
    const run = fakes(goodBackfill({}));
    const handle = await run.start("backfill", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
  });

  it("sends nothing when it is discarded", async () => {
    const run = fakes(goodBackfill({ isApproved: false }));
    const handle = await run.start("backfill", input);
    await asked(run, handle);
    await handle.executeUpdate("discard");
    expect(await handle.result()).toMatchObject({ outcome: "discarded" });
    expect(run.calls).toEqual(["planBackfill", "closeRun discarded"]);
  });

  it("is cancelled while it waits for its consent", async () => {
    const run = fakes(goodBackfill({ isApproved: false }));
    const handle = await run.start("backfill", input);
    await asked(run, handle);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.calls).toEqual(["planBackfill", "closeRun cancelled"]);
  });

  it("plans again and asks again when its source has moved", async () => {
    const good = goodBackfill({ isApproved: false });
    const again = Promise.withResolvers<void>();
    const run = fakes({
      ...good,
      planBackfill: async (asking) => {
        if (run.callsOf("planBackfill").length > 1) await heldUntil(again.promise);
        return await good.planBackfill(asking);
      },
      openBackfill: async (asking) => {
        const isFirst = run.callsOf("openBackfill").length === 1;
        return isFirst ? { moved: "900 rows, not 500" } : await good.openBackfill(asking);
      },
    });
    const handle = await run.start("backfill", input);
    await asked(run, handle);
    await handle.executeUpdate("approve");
    await run.begun("planBackfill", 2);
    expect(await refusalOf(handle, "set_lanes", { lanes: 1 })).toContain("the plan is not ready");
    expect(await detailsOf(handle)).toContain("it is being planned again");
    again.resolve();
    await asked(run, handle);
    expect(await detailsOf(handle)).toContain("does not hold any more: 900 rows, not 500");
    expect(run.calls).toEqual(["planBackfill", "openBackfill", "planBackfill"]);
    await handle.executeUpdate("approve");
    expect(await handle.result()).toMatchObject({ outcome: "done" });
  });

  it("refuses an approval that names another plan than the one that waits", async () => {
    const good = goodBackfill({ isApproved: false });
    const times = ["2026-11-01T12:00:00.000Z", "2026-11-01T12:30:00.000Z"] as const;
    const run = fakes({
      ...good,
      planBackfill: async (asking) => {
        const planned_at = times[run.callsOf("planBackfill").length - 1] ?? "";
        const planned = await good.planBackfill(asking);
        return "plan" in planned ? { ...planned, plan: { ...planned.plan, planned_at } } : planned;
      },
      openBackfill: async (asking) => {
        const isFirst = run.callsOf("openBackfill").length === 1;
        return isFirst ? { moved: "900 rows, not 500" } : await good.openBackfill(asking);
      },
    });
    const handle = await run.start("backfill", input);
    await asked(run, handle);
    expect(await refusalOf(handle, "approve", { planned_at: times[0] })).toBeUndefined();
    await run.begun("planBackfill", 2);
    await asked(run, handle);
    expect(await refusalOf(handle, "approve", { planned_at: times[0] })).toBe(
      "that is not the plan that waits now: look at the details again",
    );
    expect(await refusalOf(handle, "approve", { planned_at: times[1] })).toBeUndefined();
    expect(await handle.result()).toMatchObject({ outcome: "done" });
  });

  it("fails with what is wrong when its input no longer fits once its source has moved", async () => {
    const problem = "✖ accounts has no schedule any more";
    const good = goodBackfill({});
    const run = fakes({
      ...good,
      openBackfill: async () => ({ moved: "the input is not understood" }),
      planBackfill: async (asking) =>
        run.callsOf("planBackfill").length === 1 ? await good.planBackfill(asking) : { problem },
    });
    const handle = await run.run("backfill", input);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "InvalidInput", message: problem },
    });
    expect(run.calls.at(-1)).toBe("closeRun failed");
  });

  it("refuses what cannot be done in its phase, and says why", async () => {
    const [planning, opening, sending] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const good = goodBackfill({ isApproved: false });
    const run = fakes({
      ...good,
      planBackfill: async (asking) => {
        await heldUntil(planning?.promise ?? Promise.resolve());
        return await good.planBackfill(asking);
      },
      openBackfill: async (asking) => {
        await heldUntil(opening?.promise ?? Promise.resolve());
        return await good.openBackfill(asking);
      },
      commitChunk: async () => {
        await heldUntil(sending?.promise ?? Promise.resolve());
        return { isLockWanted: false, rejects: [] };
      },
    });
    const handle = await run.start("backfill", input);
    await run.begun("planBackfill");
    expect(await refusalOf(handle, "approve")).toContain("the plan is not ready");
    expect(await refusalOf(handle, "set_lanes", { lanes: 1 })).toContain("the plan is not ready");
    planning?.resolve();
    await asked(run, handle);
    expect(await refusalOf(handle, "pause")).toContain("there is nothing to pause");
    expect(await refusalOf(handle, "set_lanes", { lanes: 0 })).toContain("say how many lanes");
    expect(await refusalOf(handle, "approve")).toBeUndefined();
    await run.begun("openBackfill");
    expect(await refusalOf(handle, "discard")).toContain("it was decided, and is about to begin");
    opening?.resolve();
    await run.begun("commitChunk 1");
    expect(await refusalOf(handle, "approve")).toContain("it was decided before");
    expect(await refusalOf(handle, "resume")).toBe("it is not paused");
    expect(await refusalOf(handle, "pause")).toBeUndefined();
    expect(await refusalOf(handle, "pause")).toBe("it is paused already");
    expect(await refusalOf(handle, "resume")).toBeUndefined();
    sending?.resolve();
    expect(await handle.result()).toMatchObject({ outcome: "done" });
  });

  it("fails with its failure, and is closed, when it cannot be opened", async () => {
    const run = fakes({
      ...goodBackfill({ isApproved: false }),
      openBackfill: async () => {
        throw fault("AuthFailed", {}, "another account");
      },
    });
    const handle = await run.start("backfill", input);
    await asked(run, handle);
    await handle.executeUpdate("approve");
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "AuthFailed", message: "another account" },
    });
    expect(run.calls).toEqual(["planBackfill", "openBackfill", "closeRun failed"]);
  });

  it("counts no rest from before its first lane", async () => {
    const good = goodBackfill({ chunks: 2 }, { chunksPerRun: 1 });
    const run = fakes({
      ...good,
      openBackfill: async (asking) => {
        const isFirst = run.callsOf("openBackfill").length === 1;
        if (isFirst) throw fault("CreditsExhausted", {}, "no credits");
        return await good.openBackfill(asking);
      },
    });
    const handle = await run.start("backfill", input);
    const { runId: first } = await handle.describe();
    await run.until(async () => (await progressOf(handle)).waiting?.startsWith("paused"));
    await handle.executeUpdate("resume");
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    // Its rate is taken over the time since it began, less what it rested since.
    const { events } = await handle.client.getHandle(handle.workflowId, first).fetchHistory();
    const next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input;
    const handedOn: unknown = JSON.parse(Buffer.from(next?.payloads?.[0]?.data ?? []).toString());
    expect(handedOn).toMatchObject({ continued: { state: { rested_ms: 0 } } });
  });

  it("is compared with its source again when it was paused before its first lane began", async () => {
    const gate = Promise.withResolvers<void>();
    const opened: OpenBackfillInput[] = [];
    const good = goodBackfill({});
    const run = fakes({
      ...good,
      openBackfill: async (asking) => {
        opened.push(asking);
        if (opened.length === 1) throw fault("CreditsExhausted", {}, "no credits");
        if (opened.length === 2) await heldUntil(gate.promise);
        return await good.openBackfill(asking);
      },
    });
    const handle = await run.start("backfill", input);
    await run.until(async () => (await progressOf(handle)).waiting?.startsWith("paused"));
    await handle.executeUpdate("resume");
    await run.until(async () => opened.length === 2);
    await handle.executeUpdate("pause");
    gate.resolve();
    await run.begun("yieldBackfill");
    await handle.executeUpdate("resume");
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(opened.map(({ approved: plan }) => plan === undefined)).toEqual([false, false, false]);
  });

  it("ends at once, and shows what is wrong, when its input cannot be used", async () => {
    const problem = '✖ did you mean "accounts"?';
    const run = fakes({ planBackfill: async () => ({ problem }) });
    const handle = await run.run("backfill", { sync: "acounts" });
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "InvalidInput", message: problem },
    });
    expect(await detailsOf(handle)).toContain(problem);
    expect(run.calls).toEqual(["planBackfill"]);
  });

  it("does nothing for the example of its start form", async () => {
    const run = fakes({});
    const handle = await run.run("backfill", { ...input, template: true });
    expect(await handle.result()).toEqual({ template: true });
    expect(run.calls).toEqual([]);
  });

  it("does not continue with a run that it did not begin", async () => {
    const run = fakes({});
    const id = "backfill-20260101-000000-00000000";
    const state = { run_id: id, phase: "running", lanes: [] };
    const handle = await run.run("backfill", {
      ...input,
      continued: { run_id: id, state, counts: {} },
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "InvalidInput" } });
    expect(run.calls).toEqual([]);
  });
});
