import { expect, it } from "vitest";

import { pendingTrouble, workflowPaused } from "../../../../src/cli/running/pending.ts";
import { activityPhrases } from "../../../../src/text/activity-phrases.ts";

const running = { name: "RUNNING" } as const;

/** A workflow with an activity that failed with this type. */
function failing(type: string, name = "stageChunk"): Parameters<typeof pendingTrouble>[0] {
  const lastFailure = { message: "it failed", applicationFailureInfo: { type } };
  const activity = { attempt: 2, activityType: { name }, lastFailure };
  return { describe: async () => ({ raw: { pendingActivities: [activity] }, status: running }) };
}

it("tells what is tried again, and not what a stop of the worker cut off", async () => {
  expect(await pendingTrouble(failing("Unavailable"))).toBe("it failed (reading, try 2)");
  expect(await pendingTrouble(failing("WorkerStopped"))).toBeUndefined();
});

it("has words for what each activity does, and the name alone of one that it does not know", async () => {
  const names = [...Object.keys(activityPhrases), "ofANewerWorker"];
  const texts = await Promise.all(
    names.map(async (name) => await pendingTrouble(failing("Unavailable", name))),
  );
  expect(names.filter((name, index) => texts[index]?.includes(name))).toEqual(["ofANewerWorker"]);
  expect(texts[names.indexOf("openRun")]).toBe("it failed (opening the run, try 2)");
});

it("tells a step that somebody paused in Temporal, whatever it failed by before", async () => {
  const lastFailure = { message: "Activity paused" };
  const paused = { activityType: { name: "uploadJson" }, paused: true };
  const other = { activityType: { name: "stageChunk" }, lastFailure };
  const text =
    "somebody paused a step in Temporal: it continues once it is unpaused there (sending)";
  for (const all of [[paused], [other, { ...paused, lastFailure }]]) {
    const described = { raw: { pendingActivities: all }, status: running };
    expect(await pendingTrouble({ describe: async () => described })).toBe(text);
  }
});

it("tells a workflow that somebody paused in Temporal, which is asked nothing and tries nothing again", async () => {
  const status = { name: "PAUSED" } as const;
  const described = { ...(await failing("Unavailable").describe()), status };
  expect(await pendingTrouble({ describe: async () => described })).toBe(workflowPaused);
  expect(workflowPaused).toContain("continues once it is unpaused there");
});
