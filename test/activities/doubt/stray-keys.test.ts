import { expect, it } from "vitest";

import { closeAbandoned } from "../../../activities/run/close-abandoned.ts";
import { lateRequest } from "../../support/late-request.ts";
import { held, newer, overMs, transfer } from "../../support/project/doubt-story.ts";
import { accountsYaml } from "../../support/project/harness.ts";
import { splitOf, stagedRun, TestRun, type Staged } from "../../support/project/test-run.ts";

/** Sends a chunk until it is abandoned; the requests with these numbers are refused. */
async function sendUntilCut(
  run: TestRun,
  chunk: Staged,
  refused: readonly number[],
): Promise<void> {
  const parts = [0];
  for (let request = 1; parts.length > 0; request++) {
    if (refused.includes(request)) {
      run.harness.sandbox.order("upload-json", { status: 422, body: { detail: [] } });
    }
    const part = run.part(chunk, parts.shift());
    const failure = await run.attemptPart(part, "body");
    const how = failure === undefined ? undefined : splitOf(failure);
    if (how === undefined) continue;
    const made = await run.split(part, how).catch(() => undefined);
    if (made === undefined) return;
    parts.unshift(...made);
  }
}

/** A run that is abandoned after an earlier one sent every account late; `text` is the file that it reads. */
async function givenUpAfterLate(limit: string, text: string): Promise<TestRun> {
  const { run, chunk } = await stagedRun(`reject_limit: { rate: 0%, rows: ${limit} }`);
  const { harness } = run;
  const late = await lateRequest(run, chunk);
  harness.terminated.add("first-run-1");
  await late.arrive();
  harness.clock.nowMs += overMs;
  await harness.write("accounts.csv", text);
  const second = await TestRun.open(harness, { runId: "run-2" });
  await sendUntilCut(second, await second.stage(), [1, 3, 4]);
  return second;
}

const failure = { code: "TooManyRejects", message: "stopped" };

it("no key is called stray that a chunk made which was given up", async () => {
  const second = await givenUpAfterLate("0", newer);
  const { harness } = second;
  expect(await second.close({ outcome: "failed", failure })).toMatchObject({ counts: { sent: 3 } });
  expect(await held(harness, "a0")).toBe("newer 0");

  const lax = await harness.withYaml(accountsYaml());
  const { warnings } = await transfer(lax, "run-3");

  expect(warnings.join()).not.toContain("came with no later run");
  const { state, target } = lax.deps;
  expect(await state.strayKeys({ target, sync: "accounts", limit: 10 })).toEqual([]);
});

it("a key is called stray though such a chunk rejected its row: it made no record of it", async () => {
  const second = await givenUpAfterLate("1", newer.replace("c0.example", ""));
  const { harness } = second;
  expect(await second.close({ outcome: "failed", failure })).toMatchObject({ counts: { sent: 2 } });
  expect(await held(harness, "a0")).toBe("name 0");

  const lax = await harness.withYaml(accountsYaml());
  const { warnings } = await transfer(lax, "run-3");

  expect(warnings.join()).toContain("came with no later run");
  const { state, target } = lax.deps;
  const strays = await state.strayKeys({ target, sync: "accounts", limit: 10 });
  expect(strays.map(({ key }) => key)).toEqual(["a0"]);
});

it("a key is called stray also when old runs were pruned before the next run", async () => {
  const { run, chunk } = await stagedRun();
  const { harness } = run;
  const late = await lateRequest(run, chunk);
  harness.terminated.add("first-run-1");
  await late.arrive();
  const { deps, state, clock } = harness;
  await closeAbandoned(deps);
  const dayMs = 24 * 3_600_000;
  clock.nowMs += 8 * dayMs;
  const prune = async (): Promise<number> =>
    await state.pruneRuns({ before: new Date(clock.nowMs - 7 * dayMs).toISOString() });
  expect(await prune()).toBe(0);

  await harness.write("accounts.csv", newer.replace(/^a0,.*\n/m, ""));
  expect((await transfer(harness, "run-2")).warnings.join()).toContain("came with no later run");
  const { target } = deps;
  const strays = await state.strayKeys({ target, sync: "accounts", limit: 10 });
  expect(strays.map(({ key }) => key)).toEqual(["a0"]);
  clock.nowMs += 8 * dayMs;
  await transfer(harness, "run-3");
  expect(await prune()).toBe(2);
});

it("a later run ends though the key was erased that a chunk rejected which was given up", async () => {
  const second = await givenUpAfterLate("0", newer);
  const { harness } = second;
  await second.close({ outcome: "failed", failure });
  const { state, target } = harness.deps;
  const [refused] = await state.rejects({ runId: "run-2", limit: 10 });
  expect(refused).toMatchObject({ step: "send", key: "a3" });
  const of = { target, sync: "accounts", key: "a3", now: harness.clock.moment() };
  expect(await state.eraseKey(of)).toMatchObject({ rejects: 1 });

  const lax = await harness.withYaml(accountsYaml());
  expect(await transfer(lax, "run-3")).toMatchObject({ outcome: "done" });
});
