import { describe, expect, it } from "vitest";

import { hostsLostMax } from "../../workflows/limits.ts";
import { hostQueue } from "../support/temporal/world.ts";
import {
  detailsOf,
  fakeWorld,
  fault,
  goodBackfill,
  goodRun,
  heldUntil,
  openedRun,
  progressOf,
  stagedChunk,
  wasCancelled,
} from "./fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };

describe("a long rate limit", () => {
  const named = "rate limited until 2030-01-01T00:00:00.000Z";

  it.each([
    { message: "slow down", said: /^rate limited until \d{4}-\S+Z: slow down$/ },
    { message: named, said: named },
  ])(
    "is slept by the workflow, which says so, and is over then: $message",
    async ({ message, said }) => {
      let asked = 0;
      const run = fakes({
        ...goodRun(1),
        uploadJson: async () => {
          asked += 1;
          if (asked === 1) throw fault("RateLimited", { waitMs: 400 }, message);
          return { fileKey: null };
        },
      });
      const handle = await run.start("sync", input);
      const waiting = await run.until(async () => (await progressOf(handle)).waiting);
      expect(waiting).toMatch(said);
      expect(await detailsOf(handle)).toContain(waiting);
      expect((await handle.describe()).raw.pendingActivities ?? []).toEqual([]);
      expect(await handle.result()).toMatchObject({ outcome: "done" });
      expect((await progressOf(handle)).waiting).toBeNull();
      expect(asked).toBe(2);
    },
  );

  it("is told until it is over, whatever is done meanwhile", async () => {
    const seen = Promise.withResolvers<void>();
    let asked = 0;
    const run = fakes({
      ...goodRun(2, { mode: "lightweight" }),
      uploadJson: async () => {
        asked += 1;
        if (asked === 1) throw fault("RateLimited", { waitMs: 3_000 });
        return { fileKey: null };
      },
      stageChunk: async ({ chunk }) => {
        if (chunk === 2) await heldUntil(seen.promise);
        return stagedChunk({ done: chunk === 2 });
      },
    });
    const handle = await run.start("sync", input);
    const waiting = await run.until(async () => (await progressOf(handle)).waiting);
    seen.resolve();
    await run.until(async () => (await progressOf(handle)).counts.staged_chunks === 2);
    expect((await progressOf(handle)).waiting).toBe(waiting);
    expect(asked).toBe(1);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect((await progressOf(handle)).waiting).toBeNull();
  });

  it("of one lane is told while others work, before and after a pause", async () => {
    const seen = Promise.withResolvers<void>();
    let isLimited = true;
    const run = fakes({
      ...goodBackfill({ lanes: 2 }, { mode: "heavyweight" }),
      uploadFile: async ({ chunk }) => {
        if (chunk !== 1) await heldUntil(seen.promise);
        else if (isLimited) {
          isLimited = false;
          throw fault("RateLimited", { waitMs: 4_000 }, "slow down");
        }
        return { fileKey: "key" };
      },
    });
    const handle = await run.start("backfill", input);
    const waiting = await run.until(async () => (await progressOf(handle)).waiting);
    expect(waiting).toMatch(/^lane 1: rate limited until .*slow down$/);
    seen.resolve();
    await run.begun("commitChunk 2:1");
    expect((await progressOf(handle)).waiting).toBe(waiting);
    await handle.executeUpdate("pause");
    expect((await progressOf(handle)).waiting).toMatch(/^paused/);
    await handle.executeUpdate("resume");
    expect((await progressOf(handle)).waiting).toBe(waiting);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect((await progressOf(handle)).waiting).toBeNull();
  });

  it("fails the run when waits have filled its history, before Temporal terminates it", async () => {
    const run = fakes({
      ...goodRun(1, { historyEventsMax: 60 }),
      uploadJson: async () => {
        throw fault("RateLimited", { waitMs: 1 }, "slow down");
      },
    });
    const handle = await run.start("sync", input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "RateLimited" } });
    await expect(handle.result()).rejects.toHaveProperty(
      "cause.message",
      expect.stringMatching(/^rate limited until \S+: slow down; it has waited as often/),
    );
    expect(run.callsOf("uploadJson").length).toBeGreaterThan(2);
    expect(run.callsOf("commitChunk", "closeRun")).toEqual(["closeRun failed"]);
    expect((await handle.describe()).historyLength).toBeLessThan(120);
  });

  it("ends at once with a cancel", async () => {
    const run = fakes({
      ...goodRun(1),
      uploadJson: async () => {
        throw fault("RateLimited", { waitMs: 3_600_000 });
      },
    });
    const handle = await run.start("sync", input);
    await run.until(async () => (await progressOf(handle)).waiting);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.callsOf("commitChunk", "closeRun")).toEqual(["closeRun cancelled"]);
  });
});

describe("a host that does not take its work", () => {
  const away = { scheduleToStartMs: 100 };
  // On a busy machine too, the present worker must take its work by then.
  const awayLonger = { scheduleToStartMs: 1_500 };

  it("is waited for while it lives, which the run says, and another continues when it is gone", async () => {
    const said: (string | null)[] = [];
    const run = fakes({
      ...goodRun(1),
      openRun: async ({ runId }) => ({
        ...openedRun(runId, awayLonger),
        hostQueue: "sluice-host-away",
      }),
      chooseHost: async ({ hostQueue: now = "" }) => {
        said.push((await progressOf(handle)).waiting);
        return { hostQueue: said.length === 1 ? now : hostQueue };
      },
    });
    const handle = await run.start("sync", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(said).toEqual([null, expect.stringMatching(/^waiting for the worker of the host/)]);
    expect(run.callsOf("stageChunk", "dropChunk")).toEqual(["stageChunk 1", "dropChunk"]);
    expect((await progressOf(handle)).waiting).toBeNull();
  });

  it("ends the run when every other one is gone, too", async () => {
    const run = fakes({
      ...goodRun(1),
      openRun: async ({ runId }) => ({ ...openedRun(runId, away), hostQueue: "sluice-host-0" }),
      chooseHost: async () => {
        const isLast = run.callsOf("chooseHost").length > hostsLostMax;
        // The last queue takes the removal of the files, so that the test need not wait for its timeout.
        return { hostQueue: isLast ? hostQueue : `sluice-host-a${run.calls.length}` };
      },
    });
    const handle = await run.run("sync", input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "Unavailable" } });
    expect(run.callsOf("chooseHost")).toHaveLength(hostsLostMax + 1);
    expect(run.callsOf("stageChunk")).toEqual([]);
  });
});
