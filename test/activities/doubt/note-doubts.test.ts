import { afterEach, expect, it, vi } from "vitest";

import type { createUploadJson } from "../../../activities/upload/upload-json.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { lateRequest } from "../../support/late-request.ts";
import { held, newer, overMs, resend } from "../../support/project/doubt-story.ts";
import type { Harness } from "../../support/project/harness.ts";
import { rows, stagedRun, TestRun, type Staged } from "../../support/project/test-run.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A run that has staged newer rows while a request with the older ones is on its way. */
async function newerStaged(): Promise<{
  readonly run: TestRun;
  readonly chunk: Staged;
  readonly arrive: () => Promise<unknown>;
}> {
  const before = await stagedRun();
  const { harness } = before.run;
  const late = await lateRequest(before.run, before.chunk);
  harness.terminated.add("first-run-1");
  await harness.write("accounts.csv", newer);
  const run = await TestRun.open(harness, { runId: "run-2" });
  return { run, chunk: await run.stage(), arrive: async () => await late.arrive() };
}

function uploadingWith(
  harness: Harness,
  noteDoubts: StateStore["noteDoubts"],
): ReturnType<typeof createUploadJson> {
  return harness.activitiesWith({ state: { ...harness.deps.state, noteDoubts } }).uploadJson;
}

it("a part of very many records in doubt leaves, however long the store takes to note them", async () => {
  const { run, chunk, arrive } = await newerStaged();
  const { harness } = run;
  vi.useFakeTimers({ toFake: ["Date"] });
  const uploadJson = uploadingWith(harness, async (input) => {
    const noted = await harness.deps.state.noteDoubts(input);
    vi.setSystemTime(Date.now() + 20_000);
    return noted;
  });
  await harness.perform(uploadJson, run.part(chunk));
  expect(await harness.sandbox.recordsTaken()).toBe(rows);
  await arrive();
});

it("a request that may be applied again after a part's doubts were noted is waited for too", async () => {
  const { run, chunk, arrive } = await newerStaged();
  const { harness } = run;
  const uploadJson = uploadingWith(harness, async () => []);
  await harness.perform(uploadJson, run.part(chunk));
  await run.commit(chunk);
  await run.close();
  await arrive();
  expect(await held(harness, "a0")).toBe("name 0");
  harness.clock.nowMs += overMs;
  await resend(harness, "run-3");
  expect(await held(harness, "a0")).toBe("newer 0");
});
