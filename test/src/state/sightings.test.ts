import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { hashBytes, verdict } from "../../../src/state/contract/keys/fingerprints.ts";
import { ageOf } from "../../../src/state/sqlite/keys/ages.ts";
import { openSqliteStore } from "../../../src/state/sqlite/open.ts";
import { at, name, staged, StoreUnderTest } from "./store-under-test.ts";

/** Later than any staging: a key is judged by itself where a backfill asks, and no other run has sent it since. */
const byItself = { begunAt: 2 ** 50 };

/** One call of a staging: a key and the version of its record for each row. */
type Call = {
  readonly rows: readonly (readonly [key: string, version: number])[];
  readonly how: "plain" | "both" | "dry" | "full" | "replay";
};

type Step =
  | { readonly do: "call"; readonly call: Call }
  | { readonly do: "commit" | "giveUp" | "nextRun" | "forget" | "reopen" };

const row = fc.tuple(
  fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
  fc.integer({ min: 1, max: 2 }),
);
const call = fc.record({
  rows: fc.array(row, { maxLength: 9 }),
  how: fc.constantFrom("plain", "plain", "plain", "both", "both", "dry", "full", "replay"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("call" as const), call }) },
  { weight: 3, arbitrary: fc.constant({ do: "commit" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("giveUp", "nextRun", "nextRun", "forget", "reopen"),
    }),
  },
);

/** Plays a history and answers what became of each row of each call, in order. */
async function play(
  steps: readonly Step[],
  { more = {}, mayReplay = true } = {},
): Promise<readonly (readonly number[])[]> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-state-"));
  let test = new StoreUnderTest(folder, await openSqliteStore(folder));
  const answers: (readonly number[])[] = [];
  let [runs, chunk, rowNumber] = [0, 0, 0];
  let drawn: { readonly stage: number; readonly send: number } | undefined;
  const runId = (): string => `r${runs}`;
  const stage = (): { runId: string; chunk: number; stage: number } => ({
    runId: runId(),
    chunk,
    stage: drawn?.stage ?? 0,
  });
  const draw = async (): Promise<void> => {
    drawn = await test.store.beginStaging({ runId: runId(), chunk, host: "h" });
    rowNumber = 0;
  };
  const nextRun = async (): Promise<void> => {
    if (runs > 0) await test.store.dropSends({ runId: runId() });
    // As long as a run is open, a replay of what it rejected may come.
    if (runs > 0 && !mayReplay)
      await test.store.endRun({ runId: runId(), outcome: "failed", endedAt: at });
    [runs, chunk] = [runs + 1, 1];
    await test.openRun(runId());
    await draw();
  };
  const ways = {
    plain: { rejectDuplicates: true },
    both: { rejectDuplicates: false },
    dry: { rejectDuplicates: true, dryRun: true },
    full: { rejectDuplicates: true, full: true },
    replay: { rejectDuplicates: false },
  } satisfies Record<Call["how"], object>;
  const judge = async ({ rows, how }: Call): Promise<void> => {
    const first = rowNumber + 1;
    rowNumber += rows.length;
    const isReplay = how === "replay" && mayReplay;
    const { verdicts } = await test.store.stageKeys({
      ...name,
      ...stage(),
      send: drawn?.send ?? 0,
      keys: rows.map(([key]) => key),
      hashes: new Uint8Array(rows.flatMap(([, version]) => Array<number>(hashBytes).fill(version))),
      rowNumbers: Uint32Array.from(rows, (_, index) => first + index),
      // Of rows that were rejected about a run ago.
      ages: isReplay
        ? rows.map((_, index) => ageOf(Math.max(1, (drawn?.send ?? 0) - 2), index))
        : undefined,
      full: false,
      dryRun: false,
      ...ways[how],
      ...more,
    });
    answers.push([...verdicts]);
  };
  const does = {
    commit: async () => {
      await test.store.finishStage({ ...stage(), ...staged, keys: "[]" });
      await test.accept(runId(), chunk, stage().stage);
      await test.store.commitChunk({ ...stage(), at });
      chunk += 1;
      await draw();
    },
    giveUp: draw,
    nextRun,
    forget: async () => await test.store.forgetFingerprints(name),
    reopen: async () => {
      await test.store.close();
      test = new StoreUnderTest(folder, await openSqliteStore(folder));
    },
  };
  try {
    await nextRun();
    for (const one of steps) await (one.do === "call" ? judge(one.call) : does[one.do]());
    return answers;
  } finally {
    await test.store.close();
    await rm(folder, { recursive: true });
  }
}

async function story(): Promise<StoreUnderTest> {
  return await StoreUnderTest.open(openSqliteStore);
}

type Staging = {
  readonly runId: string;
  readonly keys: readonly string[];
  readonly ages?: readonly number[];
};

/** The first staging of a run, with these keys. */
async function stageKeys(
  test: StoreUnderTest,
  { runId, keys, ages }: Staging,
): Promise<{ readonly stage: number; readonly verdicts: readonly number[] }> {
  await test.openRun(runId);
  const { stage, send } = await test.store.beginStaging({ runId, chunk: 1, host: "h" });
  const { verdicts } = await test.store.stageKeys({
    ...name,
    runId,
    chunk: 1,
    stage,
    send,
    keys,
    ages,
    hashes: new Uint8Array(keys.length * hashBytes),
    rowNumbers: Uint32Array.from(keys, (_, index) => index + 1),
    full: false,
    rejectDuplicates: ages === undefined,
    dryRun: false,
  });
  return { stage, verdicts: [...verdicts] };
}

async function commit(
  test: StoreUnderTest,
  { runId, stage, mapping }: { runId: string; stage: number; mapping?: string | undefined },
): Promise<void> {
  await test.store.finishStage({ runId, chunk: 1, stage, ...staged, keys: "[]", mapping });
  await test.accept(runId, 1, stage);
  await test.store.commitChunk({ runId, chunk: 1, stage, at });
}

/** A run with these keys, committed. */
async function run(
  test: StoreUnderTest,
  { mapping, ...staging }: Staging & { readonly mapping?: string },
): Promise<void> {
  const { runId } = staging;
  await commit(test, { runId, mapping, stage: (await stageKeys(test, staging)).stage });
}

function fingerprints(test: StoreUnderTest): unknown {
  const db = new DatabaseSync(join(test.folder, "state.db"), { readOnly: true });
  try {
    return db.prepare("select * from fingerprints order by key").all();
  } finally {
    db.close();
  }
}

describe("a row that is unchanged", () => {
  it("has nothing written to its fingerprint", async () => {
    const test = await story();
    await run(test, { runId: "r1", keys: ["a", "b"] });
    const before = fingerprints(test);
    await run(test, { runId: "r2", keys: ["a", "b"] });
    expect(fingerprints(test)).toEqual(before);
  });

  it("stays known where what a run did not see is forgotten", async () => {
    const test = await story();
    await run(test, { runId: "r1", keys: ["a", "b"] });
    await run(test, { runId: "r2", keys: ["a"] });
    await test.store.forgetSeenBefore({ ...name, runId: "r2" });
    const known = await test.store.knownRecords({ ...name, keys: ["a", "b"] });
    expect(known.map(({ state }) => state)).toEqual(["accepted", "new"]);
  });

  it("is not seen by a staging that was given up", async () => {
    const test = await story();
    await run(test, { runId: "r1", keys: ["a"] });
    await stageKeys(test, { runId: "r2", keys: ["a"] });
    await test.store.dropSends({ runId: "r2" });
    const rejected = { runId: "r3", keys: ["a"], ages: [ageOf(1, 5)] };
    expect((await stageKeys(test, rejected)).verdicts).toEqual([verdict.unchanged]);
  });

  it("is sent once fingerprints were forgotten", async () => {
    const test = await story();
    await run(test, { runId: "r1", keys: ["a"] });
    await test.store.forgetFingerprints(name);
    const { verdicts } = await stageKeys(test, { runId: "r2", keys: ["a"] });
    expect(verdicts).toEqual([verdict.send]);
  });

  it("counts although a later run came by before its own was decided", async () => {
    const test = await story();
    await run(test, { runId: "r1", keys: ["a", "b"] });
    const first = await stageKeys(test, { runId: "r2", keys: ["a"] });
    await stageKeys(test, { runId: "r3", keys: ["b"] });
    await commit(test, { runId: "r2", stage: first.stage });
    const rejected = { runId: "r4", keys: ["a"], ages: [ageOf(1, 5)] };
    expect((await stageKeys(test, rejected)).verdicts).toEqual([verdict.superseded]);
  });

  it("is of the mapping that judged it last, also after later runs", async () => {
    const test = await story();
    await run(test, { runId: "r1", keys: ["a", "b"], mapping: "m1" });
    await run(test, { runId: "r2", keys: ["a"], mapping: "m2" });
    const older = { isAny: true, records: 1 };
    expect(await test.store.olderMapping({ ...name, mapping: "m2" })).toEqual(older);
    await run(test, { runId: "r3", keys: ["c"], mapping: "m2" });
    await run(test, { runId: "r4", keys: ["c"], mapping: "m2" });
    expect(await test.store.olderMapping({ ...name, mapping: "m2" })).toEqual(older);
  });
});

describe("keys that are judged in one statement", () => {
  it.each([true, false])(
    "become what each would by itself, whatever happened before; runs stay open: %s",
    async (mayReplay) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
          const bySets = await play(steps, { mayReplay });
          expect(bySets).toEqual(await play(steps, { mayReplay, more: byItself }));
        }),
        { numRuns: 8 },
      );
    },
  );
});
