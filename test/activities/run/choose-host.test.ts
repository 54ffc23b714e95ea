import { describe, expect, it } from "vitest";

import { configMarks } from "../../../src/hosts/live-workers.ts";
import type { NewBeat } from "../../../src/state/contract/runs/hosts.ts";
import { version } from "../../../src/version.ts";
import { inDoubt, overMs } from "../../support/project/doubt-story.ts";
import type { Harness } from "../../support/project/harness.ts";
import { openedRun } from "../../support/project/test-run.ts";

/** The beat of a worker like this one, on another host. */
function beatOf({ clock, deps }: Harness, changes: Partial<NewBeat> = {}): NewBeat {
  return {
    hostId: "2",
    process: "7",
    temporalId: deps.temporalId,
    lastBeat: clock.nowMs,
    version,
    configs: configMarks(deps.config),
    ...changes,
  };
}

describe("chooseHost", () => {
  it(
    "keeps the host whose files are staged while it beats, and takes the asked worker's once it is " +
      "silent",
    async () => {
      const { harness, opened } = await openedRun();
      const { clock, deps, state } = harness;
      const { chooseHost } = harness.activitiesWith({ hostId: "2" });
      await state.beat(beatOf(harness, { hostId: "1" }));
      const choose = async (): Promise<unknown> => await harness.perform(chooseHost, opened);

      clock.nowMs += deps.config.advanced.hostLostAfterMs;
      expect(await choose()).toEqual({ hostQueue: "sluice-host-1" });
      clock.nowMs += 1;
      expect(await choose()).toEqual({ hostQueue: "sluice-host-2" });
    },
  );

  it("gives no lane to a host whose worker polls another task queue, and does not wait for it", async () => {
    const { harness, opened } = await openedRun();
    const { config } = harness.deps;
    const temporal = { ...config.temporal, taskQueue: "other" };
    const configs = configMarks({ ...config, temporal });
    await harness.state.beat(beatOf(harness, { configs }));
    const { hostQueue: own, ...run } = opened;
    const choose = async (asked: { lane: number; hostQueue?: string }): Promise<unknown> =>
      await harness.perform(harness.activities.chooseHost, { ...run, ...asked });
    for (const lane of [1, 2]) expect(await choose({ lane })).toEqual({ hostQueue: own });
    expect(await choose({ lane: 3, hostQueue: "sluice-host-2" })).toEqual({ hostQueue: own });
  });

  it("does not wait for a host that Temporal is away from, though it beats", async () => {
    const { harness, opened } = await openedRun();
    const { chooseHost } = harness.activitiesWith({ hostId: "2" });
    await harness.state.beat(beatOf(harness, { hostId: "1", configs: {} }));
    expect(await harness.perform(chooseHost, opened)).toEqual({ hostQueue: "sluice-host-2" });
  });

  it("does not wait for a host whose worker stopped in order", async () => {
    const { harness, opened } = await openedRun();
    const { state } = harness;
    const { chooseHost } = harness.activitiesWith({ hostId: "2" });
    await state.beat(beatOf(harness, { hostId: "1" }));
    await state.stopBeating({ hostId: "1", process: "7" });
    expect(await harness.perform(chooseHost, opened)).toEqual({ hostQueue: "sluice-host-2" });
  });

  it("gives each lane the host that has the fewest", async () => {
    const { harness, opened } = await openedRun();
    await harness.state.beat(beatOf(harness));
    const { hostQueue: _, ...run } = opened;
    const choose = async (lane: number): Promise<unknown> =>
      await harness.perform(harness.activities.chooseHost, { ...run, lane });
    const queues = [await choose(1), await choose(2), await choose(3), await choose(4)];
    expect(queues.map((chosen) => JSON.stringify(chosen)).toSorted()).toEqual([
      '{"hostQueue":"sluice-host-1"}',
      '{"hostQueue":"sluice-host-1"}',
      '{"hostQueue":"sluice-host-2"}',
      '{"hostQueue":"sluice-host-2"}',
    ]);
  });

  it.each([
    ["lives at another Temporal", { temporalId: "other default" }],
    ["ends with its command", { command: "run" }],
    ["is of another version", { version: "0.0.1" }],
    ["has another configuration of the sync", { configs: { "sync accounts": "c0ffee" } }],
    ["does not know the sync", { configs: {} }],
  ])("gives no lane to a worker that %s", async (_, changes) => {
    const { harness, opened } = await openedRun();
    await harness.state.beat(beatOf(harness, changes));
    const { hostQueue: own, ...run } = opened;
    for (const lane of [1, 2]) {
      expect(await harness.perform(harness.activities.chooseHost, { ...run, lane })).toEqual({
        hostQueue: own,
      });
    }
  });
});

it("openRun opens a run where the fewest are, and not always at its own host", async () => {
  const run = await openedRun();
  const { harness } = run;
  const { activities, clock, state } = harness;
  await run.close();
  await state.beat(beatOf(harness));
  const workflow = { workflowId: "wf", firstRunId: "first", kind: "sync" } as const;
  const other = { ...workflow, name: "another sync", runId: "other" };
  await state.takeLock({ ...other, at: new Date(clock.nowMs).toISOString() });
  await state.chooseHost({ runId: "other", lane: 1, hosts: ["1"] });
  const input = { sync: "accounts", runId: "run-2", ...workflow, request: {} };
  expect(await harness.perform(activities.openRun, input)).toMatchObject({
    hostQueue: "sluice-host-2",
  });
});

it("openRun has what is in doubt sent at the host that has its lines", async () => {
  const harness = await inDoubt();
  harness.clock.nowMs += overMs;
  await harness.state.beat(beatOf(harness, { hostId: "1" }));
  const { openRun } = harness.activitiesWith({ hostId: "2" });
  const workflow = { workflowId: "wf", firstRunId: "first" };
  const input = {
    sync: "accounts",
    runId: "run-3",
    kind: "resend",
    ...workflow,
    request: {},
  } as const;
  expect(await harness.perform(openRun, input)).toMatchObject({ hostQueue: "sluice-host-1" });
});
