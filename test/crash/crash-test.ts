import { expect } from "vitest";

import type { Step } from "../../src/sandbox/faults.ts";
import type { CrashLane, CrashResult } from "./crash-points.ts";

/** The least that must have flowed over all points, or they prove nothing. */
const rowsFlowedMin = 1_000;

/** What the client calls a request -> what the sandbox calls it. */
const steps: ReadonlyMap<string, Step> = new Map([
  ["generateUploadUrl", "generate-upload-url"],
  ["putFile", "put"],
  ["confirmUpload", "confirm-upload"],
  ["uploadJson", "upload-json"],
]);

/** The violations at all points, each with where the process died. */
function violationsOf(results: readonly CrashResult[]): string[] {
  return results.flatMap(({ effects, violations }) =>
    violations.map((each) => `killed at effect ${effects.length}, ${effects.at(-1)}: ${each}`),
  );
}

/** Runs a lane to its end once, without a kill: the effects it has, in order. */
async function effectsOf(lane: CrashLane): Promise<readonly string[]> {
  const whole = await lane.crash({ when: "before", number: 0 });
  expect(whole).toMatchObject({ wasKilled: false, violations: [] });
  expect(whole.numbers.repeated).toBe(0);
  return whole.effects;
}

/**
 * Kills a lane's run before its first effect, before its second, and so on until it has no more. Dying after an effect is
 * dying before the next, because recording that an activity completed is an effect as well.
 */
export async function crashEverywhere(lane: CrashLane): Promise<readonly CrashResult[]> {
  const effects = await effectsOf(lane);
  const results: CrashResult[] = [];
  do results.push(await lane.crash({ when: "before", number: results.length + 1 }));
  while (results.at(-1)?.wasKilled === true);
  expect(violationsOf(results)).toEqual([]);
  expect(results.length).toBe(effects.length + 1);
  const flowed = results.reduce((sum, { numbers }) => sum + numbers.flowed, 0);
  expect(flowed).toBeGreaterThanOrEqual(rowsFlowedMin);
  return results;
}

/** Kills a lane's run at each of its requests, which arrived and was not applied. */
export async function crashAtDroppedRequests(lane: CrashLane): Promise<readonly CrashResult[]> {
  const effects = await effectsOf(lane);
  const results: CrashResult[] = [];
  const before = new Map<Step, number>();
  for (const [index, name] of effects.entries()) {
    const step = steps.get(name);
    if (step === undefined) continue;
    const after = before.get(step) ?? 0;
    before.set(step, after + 1);
    const point = { when: "after", number: index + 1 } as const;
    results.push(await lane.crash(point, { step, after, do: { dropRequest: true } }));
  }
  expect(violationsOf(results)).toEqual([]);
  expect(results.map(({ wasKilled }) => wasKilled)).toEqual(results.map(() => true));
  return results;
}
