// Plays what a seed decides on a store that several processes have open, and reports what is wrong in the end.
import { SupersededError, NotBalancedError } from "../../../../../src/errors.ts";
import { firstChunkOf } from "../../../../../src/lane-of.ts";
import { examplePlan } from "../../../../support/project/plan.ts";
import type { KeyImplementation } from "../../keys/key-implementations.ts";
import { name, type StoreUnderTest } from "../../store-under-test.ts";
import { VersionedKeys } from "../versioned-keys.ts";
import { type AttemptHosts, ChunkAttempt, isFailedCommit, type PlayedRun } from "./attempt.ts";
import { type PlannedLane, type PlannedRun, sharedKeys } from "./plan.ts";
import { fieldName, fieldOf, SentRecords, type SentStaging } from "./sent.ts";

const [before, runId] = ["r1", "r2"];

/** The version of the records that were sent before the lanes began. */
const firstVersion = 1;

/** Sends the records of the keys that are known when the lanes begin. */
async function sendBefore(main: StoreUnderTest): Promise<SentStaging> {
  const keys = sharedKeys.slice(0, sharedKeys.length / 2);
  await main.store.fieldSlots({ ...name, names: [fieldName] });
  const records = { version: firstVersion, of: keys, field: fieldOf(firstVersion) };
  await new VersionedKeys(main).run({ runId: before, ...records });
  const found = await main.store.newestStaging({ runId: before, chunk: 1 });
  if (found === undefined) throw new Error("the run before the lanes staged nothing");
  return {
    ref: found,
    send: found.send,
    version: firstVersion,
    keys: new Set(keys),
    stagedAt: 0,
    endedAt: 0,
    accepted: new Set(keys),
    perhaps: new Set(keys),
    refused: 0,
    state: "committed",
  };
}

/** Plays a lane, chunk after chunk; it stops if one is cut, or if none of its attempts reached an end. */
async function playLane(
  run: PlayedRun,
  hosts: AttemptHosts,
  { lane, chunks }: PlannedLane,
): Promise<void> {
  for (const [index, attempts] of chunks.entries()) {
    let last: SentStaging | undefined;
    for (const attempt of attempts) {
      if (last !== undefined) last.endedAt = performance.now();
      try {
        last = await new ChunkAttempt(run, hosts, attempt).play(firstChunkOf(lane) + index);
      } catch (error) {
        // A late attempt may meanwhile have committed a chunk that was accepted and abandoned.
        const state = last === undefined ? undefined : await hosts.own.store.staging(last.ref);
        if (!(error instanceof SupersededError) || state?.state !== "committed") throw error;
        break;
      }
    }
    const look = new VersionedKeys(hosts.own);
    await run.sent.watch(sharedKeys, async (keys) => await look.known(...keys));
    const ended = last === undefined ? undefined : await hosts.own.store.staging(last.ref);
    if (ended?.state !== "committed") return;
  }
}

/** Whether a late call may fail with this error: another was first, or its chunk is not accepted yet. */
function isRefusedLate(error: unknown): boolean {
  return (
    error instanceof SupersededError || error instanceof NotBalancedError || isFailedCommit(error)
  );
}

/** Opens the run of the lanes. */
async function openLanes(main: StoreUnderTest, { lanes }: PlannedRun): Promise<void> {
  await main.openRun(runId, "backfill");
  const spans = lanes.map(() => ({ from: null, to: null }));
  await main.store.putPlan({ runId, plan: examplePlan, samples: [], spans });
}

/**
 * Plays all lanes concurrently, each in a process of its own. Returns what they sent, once nobody is at work any more,
 * and the run has abandoned what is open.
 */
export async function playRun(
  { failAt }: KeyImplementation,
  [main, ...others]: readonly [StoreUnderTest, ...StoreUnderTest[]],
  plan: PlannedRun,
): Promise<{ readonly sent: SentRecords; readonly runId: string }> {
  const sent = new SentRecords(await sendBefore(main));
  await openLanes(main, plan);
  const calls: Promise<unknown>[] = [];
  const note = (error: unknown): void => {
    if (!isRefusedLate(error)) sent.seen.push(`a late call failed: ${String(error)}`);
  };
  const run: PlayedRun = { runId, sent, late: (call) => void calls.push(call.catch(note)) };
  const failCommits = async (send: number): Promise<() => Promise<void>> =>
    await failAt(main.folder, {
      at: "before update on stagings",
      when: `new.send = ${send} and new.state = 'committed'`,
      as: `killed_${send}`,
    });
  await Promise.all(
    plan.lanes.map(async (lane, index) => {
      const own = others[index] ?? main;
      await playLane(run, { own, other: main, failCommits }, lane);
    }),
  );
  if (!plan.endsEarly) await Promise.all(calls);
  const now = performance.now();
  for (const one of sent.ofRun) one.endedAt = Math.min(one.endedAt, now);
  await main.store.dropStagings({ runId });
  await Promise.all(calls);
  for (const one of sent.ofRun) {
    one.state = (await main.store.staging(one.ref))?.state ?? "dropped";
  }
  return { sent, runId };
}
