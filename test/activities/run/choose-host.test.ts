import { describe, expect, it } from "vitest";

import { openedRun } from "../../support/project/test-run.ts";

describe("chooseHost", () => {
  it(
    "keeps the host whose files are staged while it beats, and takes the asked worker's once it is " +
      "silent",
    async () => {
      const { harness, opened } = await openedRun();
      const { clock, deps, state } = harness;
      const { chooseHost } = harness.activitiesWith({ hostQueue: "sluice-host-2" });
      const beat = { hostId: "1", process: "7", temporalId: deps.temporalId, version: "1" };
      await state.beat({ ...beat, lastBeat: clock.nowMs });
      const choose = async (): Promise<unknown> => await harness.perform(chooseHost, opened);

      clock.nowMs += deps.config.advanced.hostLostAfterMs;
      expect(await choose()).toEqual({ hostQueue: "sluice-host-1" });
      clock.nowMs += 1;
      expect(await choose()).toEqual({ hostQueue: "sluice-host-2" });
    },
  );

  it("does not wait for a host whose worker stopped in order", async () => {
    const { harness, opened } = await openedRun();
    const { clock, deps, state } = harness;
    const { chooseHost } = harness.activitiesWith({ hostQueue: "sluice-host-2" });
    const beat = { hostId: "1", process: "7", temporalId: deps.temporalId, version: "1" };
    await state.beat({ ...beat, lastBeat: clock.nowMs });
    await state.stopBeating(beat);
    expect(await harness.perform(chooseHost, opened)).toEqual({ hostQueue: "sluice-host-2" });
  });
});
