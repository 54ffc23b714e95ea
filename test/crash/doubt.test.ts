import { join } from "node:path";

import { expect, it } from "vitest";

import type { Dependencies } from "../../activities/dependencies.ts";
import type { Effect } from "../../src/effect.ts";
import { processName } from "../../src/local/process-identity.ts";
import { lateRequest } from "../support/late-request.ts";
import { held, newer, overMs, transfer } from "../support/project/doubt-story.ts";
import type { Harness } from "../support/project/harness.ts";
import { rows, stagedRun } from "../support/project/test-run.ts";
import { isProving } from "../support/trials.ts";
import { driveRun } from "./drive/drive-run.ts";
import { Journal } from "./journal.ts";

const timeoutMs = 300_000;

const run = { runId: "run-3", workflowId: "wf-run-3", firstRunId: "first-run-3" };

/** The effects that note, end and forget requests and settle doubts; and the request itself. */
const ofDoubt = [
  "beginPart",
  "uploadJson",
  "movePart",
  "complete uploadJson of chunk 1 part 0",
  "commitChunk",
  "endSender",
  "settleDoubts",
  "endRun",
  "complete closeRun",
];

/** The dependencies of a worker whose process is gone by now; `effect` wraps its changes. */
function ofGoneProcess({ deps, state }: Harness, number: number, effect: Effect): Dependencies {
  const watched = <Methods extends object>(methods: Methods): Methods =>
    new Proxy(methods, {
      get: (target, name: string & keyof Methods) => {
        const method: unknown = target[name];
        if (typeof method !== "function") return method;
        return async (input: unknown): Promise<unknown> =>
          await effect(name, async () => {
            const answer: unknown = await Reflect.apply(method, target, [input]);
            return answer;
          });
      },
    });
  // No process with this number began at that time.
  const process = processName(deps.hostId).replace(/ \S+$/, ` ${number}`);
  return { ...deps, state: watched(state), api: watched(deps.api), effect, process };
}

/** The journal of a process: a dead process writes no more, although its timers continue here. */
class MortalJournal extends Journal {
  isDead = false;

  override add(...entry: Parameters<Journal["add"]>): void {
    if (!this.isDead) super.add(...entry);
  }
}

/** An effect that never ends when it comes to this name, before or after it is made, as when its process is killed. */
function endlessAt(point: { readonly name: string; readonly when: "before" | "after" }): {
  readonly effect: Effect;
  readonly died: Promise<void>;
} {
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const never = async (): Promise<never> => {
    resolve();
    return await new Promise<never>(() => undefined);
  };
  let isDead = false;
  const effect: Effect = async (name, work) => {
    if (isDead) return await never();
    if (name !== point.name) return await work();
    isDead = true;
    if (point.when === "after") await work();
    return await never();
  };
  return { effect, died };
}

/** A sync whose older request was applied after a newer one, and which its next run can correct. */
async function inDoubt(): Promise<Harness> {
  const { run: first, chunk } = await stagedRun();
  const { harness } = first;
  const late = await lateRequest(first, chunk);
  harness.terminated.add("first-run-1");
  await harness.write("accounts.csv", newer);
  await transfer(harness, "run-2");
  await late.arrive();
  harness.clock.nowMs += overMs;
  expect(await held(harness, "a0")).toBe("name 0");
  return harness;
}

const whens = isProving ? (["before", "after"] as const) : (["after"] as const);
const points = ofDoubt.flatMap((name) => whens.map((when) => ({ name, when })));

/** Drives the run in a process that dies. Returns whether it died. */
async function die(harness: Harness, number: number, at: Parameters<typeof endlessAt>[0]) {
  const journal = new MortalJournal(join(harness.folder, "journal.jsonl"));
  const { effect, died } = endlessAt(at);
  const deps = ofGoneProcess(harness, number, effect);
  const whole = driveRun({ run, mode: "lightweight", deps, journal }).then(() => false);
  const isDead = await Promise.race([whole, died.then(() => true)]);
  journal.isDead = true;
  return isDead;
}

it(
  "sets right what an older request overwrote, wherever the run that does is killed a second time",
  async () => {
    const deaths = new Set<string>();
    for (const point of points) {
      const where = `killed ${point.when} ${point.name}`;
      const harness = await inDoubt();
      // The first process leaves a request that is not noted as ended.
      expect(await die(harness, 1, { name: "uploadJson", when: "after" })).toBe(true);
      if (await die(harness, 2, point)) deaths.add(point.name);
      const journal = new Journal(join(harness.folder, "journal.jsonl"));
      const report = await driveRun({ run, mode: "lightweight", deps: harness.deps, journal });
      expect([where, report.outcome]).toEqual([where, "done"]);
      expect([where, await held(harness, "a0")]).toEqual([where, "newer 0"]);
      // Requests of the dead processes may have been applied until now; then everything is known again.
      harness.clock.nowMs += overMs;
      await transfer(harness, "run-4");
      harness.clock.nowMs += overMs;
      const last = await transfer(harness, "run-5");
      const { counts, warnings } = last;
      expect([where, counts.sent, counts.unchanged, warnings]).toEqual([where, 0, rows, []]);
      expect([where, await harness.state.openSenders({ but: "" })]).toEqual([where, []]);
      expect([where, await held(harness, "a0")]).toEqual([where, "newer 0"]);
    }
    expect([...deaths]).toEqual(ofDoubt);
  },
  timeoutMs,
);
