import type { WorkflowHandle } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import type { OpenBackfillInput } from "../../../activities/inputs.ts";
import { laneOf } from "../../../src/lane-of.ts";
import { hostQueue } from "../../support/temporal/world.ts";
import {
  detailsOf,
  fakeWorld,
  fault,
  goodBackfill,
  held,
  heldUntil,
  progressOf,
  stagedChunk,
  wasCancelled,
  type Faked,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };

async function paused(run: Faked, handle: WorkflowHandle): Promise<void> {
  await run.until(async () => (await progressOf(handle)).waiting?.startsWith("paused"));
}

describe("the lanes of a backfill", () => {
  it("are sent side by side", async () => {
    const run = fakes({
      ...goodBackfill({ lanes: 2, chunks: 2 }),
      uploadFile: async () => {
        await Promise.all([run.begun("uploadFile 1.0"), run.begun("uploadFile 2:1.0")]);
        return { fileKey: "key" };
      },
    });
    const handle = await run.start("backfill", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("commitChunk")).toHaveLength(4);
    // Finished files of one lane may be next to files of another.
    expect(run.callsOf("dropChunk").filter((call) => call === "dropChunk")).toHaveLength(1);
    expect(run.calls.slice(-2)).toEqual(["dropChunk", "closeRun done"]);
  });

  it("have a host each, of which they ask before they begin", async () => {
    const asked: { readonly before: string | undefined; readonly lane: number }[] = [];
    const run = fakes({
      ...goodBackfill({ lanes: 2 }, { scheduleToStartMs: 100 }),
      chooseHost: async ({ hostQueue: before, lane = 1 }) => {
        asked.push({ before, lane });
        return { hostQueue: lane === 2 && before === undefined ? "sluice-host-away" : hostQueue };
      },
    });
    const handle = await run.start("backfill", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    const begun = asked.filter(({ before }) => before === undefined).map(({ lane }) => lane);
    expect(new Set(begun)).toEqual(new Set([1, 2]));
    // Its work is sent to the host that it was assigned.
    expect(asked).toContainEqual({ before: "sluice-host-away", lane: 2 });
  });

  it("are sent one after the other when a person says so", async () => {
    const run = fakes(goodBackfill({ lanes: 2, chunks: 2, isApproved: false }));
    const handle = await run.start("backfill", input);
    await run.until(async () => await handle.query("plan"));
    await handle.executeUpdate("set_lanes", { args: [{ lanes: 1 }] });
    await handle.executeUpdate("approve");
    await handle.result();
    expect(run.callsOf("commitChunk", "stageChunk").slice(-4).toSorted()).toEqual([
      "commitChunk 2:1",
      "commitChunk 2:2",
      "stageChunk 2:1",
      "stageChunk 2:2",
    ]);
    expect(await detailsOf(handle)).toContain("at most 1 lanes at once, by a person");
  });

  it("are begun again where they failed, while others continue, and count once", async () => {
    const run = fakes({
      ...goodBackfill({ lanes: 2, chunks: 2 }),
      stageChunk: async ({ chunk }) => {
        const { ordinal } = laneOf(chunk);
        const times = run.calls.filter((call) => call === "stageChunk 2").length;
        if (chunk === 2 && times === 1) throw fault("ApiRejected", {}, "no");
        return stagedChunk({ done: ordinal === 2 });
      },
    });
    const handle = await run.start("backfill", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    const ofFirst = run.callsOf("stageChunk").filter((call) => !call.includes(":"));
    expect(ofFirst).toEqual(["stageChunk 1", "stageChunk 2", "stageChunk 2"]);
    expect(await detailsOf(handle)).toContain("lane 1 failed, and is begun again where it stopped");
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 40, sent: 40, staged_chunks: 4, committed_chunks: 4 });
  });

  it("take back what was staged and not committed when they fail", async () => {
    const run = fakes({
      ...goodBackfill({ chunks: 2 }),
      confirmUpload: async ({ chunk }) => {
        if (chunk === 1 && run.callsOf("confirmUpload").length === 1) {
          await run.begun("uploadFile 2.0");
          throw fault("ApiRejected");
        }
        return {};
      },
    });
    const handle = await run.start("backfill", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("stageChunk")).toHaveLength(4);
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 20, sent: 20, staged_chunks: 2, committed_chunks: 2 });
  });

  it("fail for good the second time, and the others are sent to their end", async () => {
    const good = goodBackfill({ lanes: 2, chunks: 2 });
    const run = fakes({
      ...good,
      openBackfill: async (asking) => ({
        ...(await good.openBackfill(asking)),
        advanceCheckpoint: true,
      }),
      stageChunk: async ({ chunk }) => {
        if (chunk === 2) throw fault("ApiRejected", { hint: "look" }, "no");
        return stagedChunk({ done: laneOf(chunk).ordinal === 2 });
      },
    });
    const handle = await run.run("backfill", input);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "ApiRejected", message: "lane 1: no (look)" },
    });
    expect(run.calls.filter((call) => call === "stageChunk 2")).toHaveLength(2);
    expect(run.callsOf("commitChunk").toSorted()).toEqual([
      "commitChunk 1",
      "commitChunk 2:1",
      "commitChunk 2:2",
    ]);
    expect(run.callsOf("advanceCheckpoint", "closeRun")).toEqual(["closeRun failed"]);
  });

  it("stop at once at a fault that every lane has", async () => {
    const run = fakes({
      ...goodBackfill({ lanes: 2, chunks: 9 }),
      uploadFile: async ({ chunk }) => {
        if (chunk === 1) throw fault("AuthFailed");
        await run.begun("uploadFile 1.0");
        return { fileKey: "key" };
      },
    });
    const handle = await run.run("backfill", input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "AuthFailed" } });
    expect(run.calls.filter((call) => call === "stageChunk 1")).toHaveLength(1);
    expect(run.callsOf("commitChunk").length).toBeLessThan(9);
    expect(run.calls.slice(-2)).toEqual(["dropChunk", "closeRun failed"]);
  });

  it("end with a cancel, which keeps what was committed", async () => {
    const run = fakes({
      ...goodBackfill({ lanes: 2, chunks: 2 }),
      uploadFile: async ({ chunk }) => (chunk === 1 ? { fileKey: "key" } : await held()),
    });
    const handle = await run.start("backfill", input);
    await run.begun("dropChunk 1");
    await run.begun("uploadFile 2:1.0");
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.callsOf("commitChunk")).toEqual(["commitChunk 1"]);
    expect(run.calls.slice(-2)).toEqual(["dropChunk", "closeRun cancelled"]);
  });
});

describe("a backfill that is paused", () => {
  it("lets its lock go after the chunk when a person pauses it, and continues there", async () => {
    const gate = Promise.withResolvers<void>();
    const opened: OpenBackfillInput[] = [];
    const good = goodBackfill({ chunks: 3 });
    const run = fakes({
      ...good,
      openBackfill: async (asking) => {
        opened.push(asking);
        return await good.openBackfill(asking);
      },
      stageChunk: async ({ chunk }) => {
        await heldUntil(gate.promise);
        return stagedChunk({ done: chunk === 3 });
      },
    });
    const handle = await run.start("backfill", input);
    await run.begun("stageChunk 1");
    await handle.executeUpdate("pause");
    gate.resolve();
    await run.begun("yieldBackfill");
    expect(await detailsOf(handle)).toContain("backfill paused");
    expect((await progressOf(handle)).waiting).toMatch(/^paused/);
    await handle.executeUpdate("resume");
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    const calls = run.callsOf("openBackfill", "stageChunk", "commitChunk", "yieldBackfill");
    expect(calls.slice(0, 6)).toEqual([
      "openBackfill",
      "stageChunk 1",
      "commitChunk 1",
      "yieldBackfill",
      "openBackfill",
      "stageChunk 2",
    ]);
    expect(calls).toHaveLength(9);
    // A backfill that was begun is not planned again.
    expect(opened.map(({ approved: plan }) => plan === undefined)).toEqual([false, true]);
    expect((await progressOf(handle)).waiting).toBeNull();
  });

  it("lets a run that wants its lock go first", async () => {
    const run = fakes({
      ...goodBackfill({ chunks: 3 }),
      commitChunk: async ({ chunk }) => ({ isLockWanted: chunk === 1, rejects: [] }),
    });
    const handle = await run.start("backfill", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("openBackfill", "yieldBackfill")).toEqual([
      "openBackfill",
      "yieldBackfill",
      "openBackfill",
    ]);
    expect(run.callsOf("stageChunk", "commitChunk")).toHaveLength(6);
    expect(await detailsOf(handle)).toContain("another run goes first");
  });

  it.each(["openBackfill", "confirmUpload 1.0"])(
    "waits for a person when the credits are used up: %s",
    async (at) => {
      const good = goodBackfill({}, { mode: "heavyweight" });
      const spend = (call: string): void => {
        const isFirst = run.calls.filter((one) => one === call).length === 1;
        if (call === at && isFirst) throw fault("CreditsExhausted", {}, "no credits");
      };
      const run = fakes({
        ...good,
        openBackfill: async (asking) => {
          spend("openBackfill");
          return await good.openBackfill(asking);
        },
        confirmUpload: async () => {
          spend("confirmUpload 1.0");
          return {};
        },
      });
      const handle = await run.start("backfill", input);
      await paused(run, handle);
      expect(await detailsOf(handle)).toContain("paused: no credits; `resume`");
      if (at !== "openBackfill") await run.begun("yieldBackfill");
      await handle.executeUpdate("resume");
      expect(await handle.result()).toMatchObject({ outcome: "done" });
      expect(run.callsOf("openBackfill")).toHaveLength(2);
      expect(run.callsOf("commitChunk", "closeRun")).toEqual(["commitChunk 1", "closeRun done"]);
    },
  );
});

describe("a backfill that grows long", () => {
  it("continues in another execution with its plan, lanes, mode and counts", async () => {
    const good = goodBackfill({ chunks: 5 }, { chunksPerRun: 2 });
    const run = fakes({
      ...good,
      openBackfill: async (asking) => {
        return { ...(await good.openBackfill(asking)), advanceCheckpoint: true };
      },
    });
    const handle = await run.run("backfill", input);
    expect(run.executions.size).toBe(3);
    expect(run.callsOf("planBackfill", "advanceCheckpoint", "closeRun")).toEqual([
      "planBackfill",
      "advanceCheckpoint",
      "closeRun done",
    ]);
    expect(run.callsOf("stageChunk")).toEqual([1, 2, 3, 4, 5].map((n) => `stageChunk ${n}`));
    // The last chunk alone would have been small enough for a body.
    expect(run.callsOf("uploadFile")).toHaveLength(5);
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 50, sent: 50, staged_chunks: 5, committed_chunks: 5 });
    expect(await handle.query("plan")).toMatchObject({ lanes: [50] });
  });

  it("stays paused in the next execution", async () => {
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...goodBackfill({ chunks: 3 }, { chunksPerRun: 1 }),
      stageChunk: async ({ chunk }) => {
        await heldUntil(gate.promise);
        return stagedChunk({ done: chunk === 3 });
      },
    });
    const handle = await run.start("backfill", input);
    const { runId: first } = await handle.describe();
    await run.begun("stageChunk 1");
    await handle.executeUpdate("pause");
    gate.resolve();
    await run.until(async () => (await handle.describe()).runId !== first);
    const { waiting, counts } = await progressOf(handle);
    expect(waiting).toMatch(/^paused/);
    expect(counts).toMatchObject({ committed_chunks: 1 });
    expect(run.callsOf("openBackfill", "yieldBackfill")).toEqual(["openBackfill", "yieldBackfill"]);
    await handle.executeUpdate("resume");
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("commitChunk")).toEqual([1, 2, 3].map((n) => `commitChunk ${n}`));
  });
});
