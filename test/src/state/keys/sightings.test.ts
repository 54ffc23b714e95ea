import { beforeEach, describe, expect, it } from "vitest";

import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { ageOf } from "../../../../src/state/rules/keys/ages.ts";
import { at, name, StoreUnderTest } from "../store-under-test.ts";
import { keyImplementations } from "./key-implementations.ts";

describe.each(keyImplementations)("a row that is unchanged: $kind", (implementation) => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(implementation.open);
  });

  type Staging = {
    readonly runId: string;
    readonly keys: readonly string[];
    readonly ages?: readonly number[];
    readonly mapping?: string;
  };
  /** The first staging of a run, with these keys. */
  const stage = async ({
    runId,
    keys,
    ages,
  }: Staging): Promise<{ readonly stage: number; readonly verdicts: readonly number[] }> => {
    await test.openRun(runId);
    const drawn = await test.store.beginStaging({ runId, chunk: 1, host: "h" });
    const call = { runId, chunk: 1, stage: drawn.stage, send: drawn.send, keys, ages };
    const verdicts = await test.judge({ ...call, rejectDuplicates: ages === undefined });
    return { stage: drawn.stage, verdicts };
  };
  /** A run with these keys, committed. */
  const run = async (staging: Staging): Promise<void> => {
    const { runId, mapping } = staging;
    const drawn = await stage(staging);
    await test.commit({ runId, chunk: 1, stage: drawn.stage }, { keys: "[]", mapping });
  };
  const fingerprints = async (): Promise<unknown> =>
    await implementation.rows(test.folder, "select * from fingerprints order by number");

  it("has nothing written to its fingerprint", async () => {
    await run({ runId: "r1", keys: ["a", "b"] });
    const before = await fingerprints();
    await run({ runId: "r2", keys: ["a", "b"] });
    expect(await fingerprints()).toEqual(before);
  });

  it.each(['"', "\\", "a\u0000b", "é東😀", "[1]", "null"])(
    "is found by a key of any text: %j",
    async (key) => {
      await run({ runId: "r1", keys: [key, "other"] });
      const { verdicts } = await stage({ runId: "r2", keys: [key] });
      expect(verdicts).toEqual([verdict.unchanged]);
    },
  );

  it("stays known where what a run did not see is forgotten", async () => {
    await run({ runId: "r1", keys: ["a", "b"] });
    await run({ runId: "r2", keys: ["a"] });
    await test.store.forgetSeenBefore({ ...name, runId: "r2" });
    const known = await test.store.knownRecords({ ...name, keys: ["a", "b"] });
    expect(known.map(({ state }) => state)).toEqual(["accepted", "new"]);
  });

  it("is not seen by a staging that was given up", async () => {
    await run({ runId: "r1", keys: ["a"] });
    await stage({ runId: "r2", keys: ["a"] });
    await test.store.dropStagings({ runId: "r2" });
    const { verdicts } = await stage({ runId: "r3", keys: ["a"], ages: [ageOf(1, 5)] });
    expect(verdicts).toEqual([verdict.unchanged]);
  });

  it("is seen by a replay that reads it twice, within one call", async () => {
    await run({ runId: "r1", keys: ["a"] });
    const ages = [ageOf(1, 9), ageOf(1, 5)];
    const { verdicts } = await stage({ runId: "r2", keys: ["a", "a"], ages });
    expect(verdicts).toEqual([verdict.unchanged, verdict.superseded]);
  });

  it("counts although a later run came by before its own was decided", async () => {
    await run({ runId: "r1", keys: ["a", "b"] });
    const first = await stage({ runId: "r2", keys: ["a"] });
    await stage({ runId: "r3", keys: ["b"] });
    await test.commit({ runId: "r2", chunk: 1, stage: first.stage }, { keys: "[]" });
    const { verdicts } = await stage({ runId: "r4", keys: ["a"], ages: [ageOf(1, 5)] });
    expect(verdicts).toEqual([verdict.superseded]);
  });

  it("counts for an older row that is replayed, also once later runs have come by", async () => {
    const ended = async (
      runId: string,
      keys: readonly string[],
      isFirst = false,
    ): Promise<void> => {
      const { stage: number } = await stage({ runId, keys });
      const named = { runId, chunk: 1, stage: number };
      const reject = { stream: "account", place: "t:1", step: "map", code: "required" } as const;
      if (isFirst)
        await test.store.addRejects({ ...named, rejects: [{ ...reject, reason: "" }], at });
      await test.commit(named, { keys: "[]" });
      await test.store.endRun({ runId, outcome: "done", endedAt: at });
    };
    await ended("r1", ["a", "b"], true);
    await ended("r2", ["a"]);
    for (const runId of ["r3", "r4", "r5"]) await ended(runId, ["c"]);
    const { verdicts } = await stage({
      runId: "r6",
      keys: ["a", "b"],
      ages: [ageOf(1, 5), ageOf(1, 5)],
    });
    expect(verdicts).toEqual([verdict.superseded, verdict.unchanged]);
  });

  it("is of the mapping that judged it last, also once its run has ended", async () => {
    const ended = async (staging: Staging): Promise<void> => {
      await run(staging);
      await test.store.endRun({ runId: staging.runId, outcome: "done", endedAt: at });
    };
    await ended({ runId: "r1", keys: ["a", "b"], mapping: "m1" });
    await ended({ runId: "r2", keys: ["a"], mapping: "m2" });
    await ended({ runId: "r3", keys: ["c"], mapping: "m2" });
    const older = { isAny: true, records: 1 };
    expect(await test.store.olderMapping({ ...name, mapping: "m2" })).toEqual(older);
  });

  it("is of the mapping that judged it last, also after later runs", async () => {
    await run({ runId: "r1", keys: ["a", "b"], mapping: "m1" });
    await run({ runId: "r2", keys: ["a"], mapping: "m2" });
    const older = { isAny: true, records: 1 };
    expect(await test.store.olderMapping({ ...name, mapping: "m2" })).toEqual(older);
    await run({ runId: "r3", keys: ["c"], mapping: "m2" });
    await run({ runId: "r4", keys: ["c"], mapping: "m2" });
    expect(await test.store.olderMapping({ ...name, mapping: "m2" })).toEqual(older);
  });
});
