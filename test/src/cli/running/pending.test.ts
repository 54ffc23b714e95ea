import { expect, it } from "vitest";

import { pendingTrouble } from "../../../../src/cli/running/pending.ts";

/** A workflow with an activity that failed so. */
function failing(type: string): Parameters<typeof pendingTrouble>[0] {
  const lastFailure = { message: "it failed", applicationFailureInfo: { type } };
  const activity = { attempt: 2, activityType: { name: "stageChunk" }, lastFailure };
  return { describe: async () => ({ raw: { pendingActivities: [activity] } }) };
}

it("tells what is tried again, and not what a stop of the worker cut off", async () => {
  expect(await pendingTrouble(failing("Unavailable"))).toBe("it failed (reading, try 2)");
  expect(await pendingTrouble(failing("WorkerStopped"))).toBeUndefined();
});

it("tells a step that somebody paused in Temporal, whatever it failed by before", async () => {
  const lastFailure = { message: "Activity paused" };
  const paused = { activityType: { name: "uploadJson" }, paused: true };
  const other = { activityType: { name: "stageChunk" }, lastFailure };
  const text =
    "somebody paused a step in Temporal: it continues once it is unpaused there (sending)";
  for (const all of [[paused], [other, { ...paused, lastFailure }]]) {
    const described = { raw: { pendingActivities: all } };
    expect(await pendingTrouble({ describe: async () => described })).toBe(text);
  }
});
