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
