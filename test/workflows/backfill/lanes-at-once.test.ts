import { expect, it } from "vitest";

import { laneOf } from "../../../src/lane-of.ts";
import { fakeWorld, goodBackfill, heldUntil } from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };

it.each(["set_lanes", "resume"])(
  "lanes begin as soon as a person lets them, while others work on: %s",
  async (update) => {
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...goodBackfill({ lanes: 2, isApproved: false }),
      uploadJson: async ({ chunk }) => {
        if (laneOf(chunk).lane === 1) await heldUntil(gate.promise);
        return { fileKey: null };
      },
    });
    const handle = await run.start("backfill", input);
    await run.until(async () => await handle.query("plan"));
    await handle.executeUpdate("set_lanes", { args: [{ lanes: 1 }] });
    await handle.executeUpdate("approve");
    await run.begun("uploadJson 1.0");
    if (update === "resume") await handle.executeUpdate("pause");
    await handle.executeUpdate("set_lanes", { args: [{ lanes: 2 }] });
    if (update === "resume") await handle.executeUpdate("resume");
    await run.begun("commitChunk 2:1");
    expect(run.calls).not.toContain("commitChunk 1");
    gate.resolve();
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("stageChunk", "openBackfill")).toHaveLength(3);
  },
);
