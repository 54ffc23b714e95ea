import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import type { NotificationRef } from "../../activities/inputs.ts";
import { notifyTriesMax } from "../../src/limits.ts";
import { fakeWorld, fault, held, wasCancelled } from "./fake-world.ts";

const fakes = fakeWorld();

/** The failure of a receiver that is away for a moment. */
function away(): ApplicationFailure {
  return ApplicationFailure.create({ type: "Unavailable", message: "away", nextRetryDelay: 1 });
}

describe("a notification", () => {
  it("is tried again for each receiver by itself until it takes it", async () => {
    const told: NotificationRef[] = [];
    const run = fakes({
      postNotification: async (ref) => {
        told.push(ref);
        const { target } = ref;
        if (target === "a" && told.filter((one) => one.target === "a").length < 3) throw away();
      },
    });
    const handle = await run.start("notify", { run_id: "run-1", targets: ["a", "b"] });
    await handle.result();
    expect(run.calls.toSorted()).toEqual([
      "postNotification a",
      "postNotification a",
      "postNotification a",
      "postNotification b",
    ]);
    expect(told).toContainEqual({ runId: "run-1", target: "b" });
  });

  it("is given up after its last try, which the run and the workflow say, and the others are told", async () => {
    const undelivered: unknown[] = [];
    const run = fakes({
      postNotification: async ({ target }) => {
        if (target === "a") throw away();
        if (target === "b") throw fault("ReceiverGone", {}, "410");
      },
      recordUndelivered: async (note) => void undelivered.push(note),
    });
    const handle = await run.run("notify", { run_id: "run-1", targets: ["a", "b", "c"] });
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "Unavailable", message: "away; 410" },
    });
    const tries = (target: string): number =>
      run.calls.filter((call) => call === `postNotification ${target}`).length;
    expect(["a", "b", "c"].map(tries)).toEqual([notifyTriesMax, 1, 1]);
    expect(undelivered).toHaveLength(2);
    expect(undelivered).toContainEqual({ runId: "run-1", target: "a", why: "away" });
    expect(undelivered).toContainEqual({ runId: "run-1", target: "b", why: "410" });
  });

  it("notes nothing when it is cancelled", async () => {
    const run = fakes({ postNotification: async () => await held() });
    const handle = await run.start("notify", { run_id: "run-1", targets: ["a"] });
    await run.begun("postNotification a");
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.calls).toEqual(["postNotification a"]);
  });

  it.each([{}, { run_id: "run-1", targets: [] }, { run_id: "run-1", targets: ["a"], report: {} }])(
    "is not sent for an input that cannot be used: %j",
    async (input) => {
      const run = fakes({});
      const handle = await run.run("notify", input);
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: "InvalidInput" } });
      expect(run.calls).toEqual([]);
    },
  );
});
