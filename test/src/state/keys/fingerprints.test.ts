import { beforeEach, describe, expect, it } from "vitest";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import { hashBytes, verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { ageOf } from "../../../../src/state/rules/keys/ages.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { at, implementations, name, nowMs, staged, StoreUnderTest } from "../store-under-test.ts";
import { rawTables } from "./raw-tables.ts";

const { new: send, unchanged, duplicate, superseded } = verdict;

describe.each(implementations)("fingerprints: $kind", ({ kind, open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
  });

  const judge = async (
    drawn: { stage: number; send: number },
    keys: Record<string, number>,
    more: object = {},
  ): Promise<number[]> => {
    const hashes = new Uint8Array(
      Object.values(keys).flatMap((value) => Array<number>(hashBytes).fill(value)),
    );
    const call = { runId: "r1", chunk: 1, keys: Object.keys(keys), hashes, rejectDuplicates: true };
    return await test.judge({ ...call, ...drawn, ...more });
  };
  const commit = async (runId: string, { stage }: { stage: number }): Promise<void> =>
    await test.commit({ runId, chunk: 1, stage });

  beforeEach(async () => {
    await test.openRun("r1");
    const drawn = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    await judge(drawn, { a: 1, b: 2 });
    await commit("r1", drawn);
    await test.openRun("r2");
  });
  const draw = async (runId = "r2"): Promise<{ stage: number; send: number; runId: string }> => ({
    ...(await store.beginStaging({ runId, chunk: 1, host: "h" })),
    runId,
  });

  it("judges what was committed as unchanged, and what differs as to be sent", async () => {
    expect(await judge(await draw(), { a: 1, b: 3, c: 1 })).toEqual([unchanged, send, send]);
  });

  it("takes no key beyond those that it can number, and says what to do", async () => {
    const { run } = rawTables(kind, test.folder);
    await run(`update fingerprint_sets set next_id = ${2 ** 31 - 2}`);
    const drawn = await draw();
    expect(await judge(drawn, { a: 1, c: 1 })).toEqual([unchanged, send]);
    await expect(judge(drawn, { d: 1, e: 1 })).rejects.toMatchObject({
      code: "ConfigError",
      message: "sync accounts has met 2147483647 keys, the most that a store can number",
    });
    expect(await judge(drawn, { d: 1 })).toEqual([send]);
    await expect(judge(drawn, { e: 1 })).rejects.toMatchObject({ field: "syncs.accounts" });
    expect(await judge(drawn, { b: 2 })).toEqual([unchanged]);
  });

  it("does not trust what was staged and never committed: A, B, A ends as A", async () => {
    expect(await judge(await draw(), { a: 9 })).toEqual([send]);
    await test.openRun("r3");
    expect(await judge(await draw("r3"), { a: 1 })).toEqual([send]);
  });

  it("rejects a second row of a key within one run, but not after a restaging", async () => {
    const drawn = await draw();
    expect(await judge(drawn, { a: 1, b: 3 })).toEqual([unchanged, send]);
    expect(await judge(drawn, { a: 1, b: 3 })).toEqual([duplicate, duplicate]);
    expect(await judge(await draw(), { a: 1, b: 3 })).toEqual([unchanged, send]);
  });

  it("rejects no row of a key of which the service took none before its chunk was cut", async () => {
    const span = { from: null, to: null };
    await store.putPlan({ runId: "r2", plan: examplePlan, samples: [], spans: [span, span] });
    const drawn = await draw();
    expect(await judge(drawn, { a: 9, c: 9 })).toEqual([send, send]);
    const other = { runId: "r2", chunk: firstChunkOf(2), host: "h" };
    const lane = { ...(await store.beginStaging(other)), ...other };
    expect(await judge(lane, { a: 9 })).toEqual([duplicate]);
    const cut = { runId: "r2", chunk: 1, stage: drawn.stage };
    await store.finishStage({ ...cut, ...staged, keys: '["a","c"]' });
    await store.beginPart({ ...cut, part: 0, at, form: "file", host: "h" });
    await store.cutChunk({ ...cut, part: 0, rejects: [], at });
    expect(await judge(lane, { a: 9 })).toEqual([send]);
  });

  it("leaves a key unknown that one run sent twice", async () => {
    const both = { rejectDuplicates: false };
    const drawn = await draw();
    expect(await judge(drawn, { a: 5 }, both)).toEqual([send]);
    expect(await judge(drawn, { a: 6 }, both)).toEqual([send]);
    expect(await judge(drawn, { a: 6 }, both)).toEqual([send]);
    await commit("r2", drawn);
    await test.openRun("r3");
    expect(await judge(await draw("r3"), { a: 6 })).toEqual([send]);
  });

  it("leaves it unknown, too, when the second staging was given up and made again", async () => {
    const both = { rejectDuplicates: false };
    const first = await draw();
    await judge(first, { a: 5 }, both);
    await commit("r2", first);
    const second = async (): Promise<{
      stage: number;
      send: number;
      runId: string;
      chunk: number;
    }> => ({
      ...(await store.beginStaging({ runId: "r2", chunk: 2, host: "h" })),
      runId: "r2",
      chunk: 2,
    });
    await judge(await second(), { a: 6 }, both);
    const again = await second();
    await judge(again, { a: 6 }, both);
    await store.finishStage({ ...staged, runId: "r2", chunk: 2, stage: again.stage });
    await test.accept("r2", 2, again.stage);
    await store.commitChunk({ runId: "r2", chunk: 2, stage: again.stage, at });
    await test.openRun("r3");
    expect(await judge(await draw("r3"), { a: 6 })).toEqual([send]);
  });

  it("ignores fingerprints when all is to be sent, when they are too old and after they were forgotten", async () => {
    const drawn = await draw();
    expect(await judge(drawn, { a: 1 }, { full: true })).toEqual([send]);
    expect(await judge(drawn, { b: 2 }, { committedAfter: nowMs + 1 })).toEqual([send]);
    await test.openRun("r3");
    await store.forgetFingerprints(name);
    expect(await judge(await draw("r3"), { b: 2 })).toEqual([send]);
  });

  it("leaves out in a backfill what another run sent since, and asks of each key who it was", async () => {
    const drawn = await draw();
    // "a" is known with the same record, and "b" with another.
    const begun = { begunAt: drawn.send - 2, full: true };
    expect(await judge(drawn, { a: 1, b: 3, c: 1 }, begun)).toEqual([unchanged, unchanged, send]);
    expect(await judge(await draw(), { a: 1, b: 3 }, { ...begun, begunAt: drawn.send })).toEqual([
      send,
      send,
    ]);
  });

  it("leaves a key unknown that one run sent in two chunks, although it was known in between", async () => {
    const sent = { full: true, rejectDuplicates: false };
    for (const chunk of [1, 2]) {
      const drawn = await store.beginStaging({ runId: "r2", chunk, host: "h" });
      expect(await judge({ ...drawn }, { a: 1 }, { ...sent, runId: "r2", chunk })).toEqual([send]);
      await test.commit({ runId: "r2", chunk, stage: drawn.stage });
    }
    await test.openRun("r3");
    expect(await judge(await draw("r3"), { a: 1 })).toEqual([send]);
  });

  it("sends what was known once fingerprints are forgotten", async () => {
    await store.forgetFingerprints(name);
    expect(await judge(await draw(), { a: 1, b: 2 })).toEqual([send, send]);
  });

  it("forgets with them the doubts of what was sent until then, and none of what is sent since", async () => {
    const raw = rawTables(kind, test.folder);
    await store.forgetFingerprints(name);
    await raw.run(`insert into doubts (set_id, key, request, send, record, next_send, next_record) values
      (1, 'sent', 1, 1, 0, null, null), (1, 'unsent', 1, null, null, null, null),
      (1, 'again', 1, 1, 0, 99, 0), (1, 'since', 1, 99, 0, null, null)`);
    await store.forgetDoubts(name);
    const left = (await raw.dump()).match(/^doubts .*/gm) ?? [];
    const keys = left.map((row) => /sent|unsent|again|since/.exec(row)?.[0]);
    expect(new Set(keys)).toEqual(new Set(["again", "since"]));
    // The line from before is not to be sent to another account.
    expect(left.join("\n")).toMatch(/again,1,,,99|again.*"send":null,"record":null/);
  });

  it("judges more keys than one transaction takes, in the order of their rows", async () => {
    const many = 5_001;
    const keys = Object.fromEntries(
      Array.from({ length: many }, (_, index) => [`k${(index * 7) % many}`, index % 250]),
    );
    const drawn = await draw();
    expect(await judge(drawn, keys)).toEqual(Array(many).fill(send));
    await commit("r2", drawn);
    await test.openRun("r3");
    expect(await judge(await draw("r3"), keys)).toEqual(Array(many).fill(unchanged));
  });

  it("judges a replayed row by its age: what was seen since supersedes it", async () => {
    const drawn = await draw();
    const { send: seenIn } = drawn;
    expect(await judge(drawn, { x: 1, a: 1 })).toEqual([send, unchanged]);
    await commit("r2", drawn);
    await test.openRun("r3");
    const replaying = { ...(await draw("r3")), full: true };
    const aged = async (age: number): Promise<number[]> =>
      await judge(replaying, { a: 9 }, { full: true, rejectDuplicates: false, ages: [age] });
    expect(await aged(ageOf(seenIn - 1, 9))).toEqual([superseded]);
    expect(await aged(ageOf(seenIn, 1))).toEqual([superseded]);
    expect(await aged(ageOf(seenIn, 2))).toEqual([send]);
    expect(await aged(ageOf(seenIn, 3))).toEqual([send]);
    expect(await aged(ageOf(seenIn, 2))).toEqual([superseded]);
  });

  it("judges a replayed row by no staging that was given up", async () => {
    const drawn = await draw();
    const { send: seenIn } = drawn;
    await judge(drawn, { a: 2 });
    const again = await draw();
    expect(again.send).toBeGreaterThan(seenIn);
    const ages = { full: true, rejectDuplicates: false, ages: [ageOf(seenIn - 1, 1)] };
    expect(await judge(again, { a: 9 }, ages)).toEqual([send]);
  });

  it("judges a replayed row by what was committed before a staging that was given up", async () => {
    const { send: seenIn, ...givenUp } = await draw();
    await judge({ ...givenUp, send: seenIn }, { a: 2 });
    const again = await draw();
    const older = { full: true, rejectDuplicates: false, ages: [ageOf(seenIn - 1, 0)] };
    expect(await judge(again, { a: 9 }, older)).toEqual([superseded]);
  });

  it("leaves a key unknown of which an older record was sent once more in front", async () => {
    const drawn = await draw();
    expect(await judge(drawn, { a: 5, b: 5 }, { again: [true, false] })).toEqual([send, send]);
    await commit("r2", drawn);
    await test.openRun("r3");
    expect(await judge(await draw("r3"), { a: 5, b: 5 })).toEqual([send, unchanged]);
  });

  it("keeps what was accepted of a cut chunk from an older row that is replayed, or in a backfill", async () => {
    const drawn = await draw();
    const cut = { runId: "r2", chunk: 1, stage: drawn.stage };
    await judge(drawn, { a: 9 }, { runId: "r2" });
    await store.finishStage({ ...cut, ...staged });
    await test.accept("r2", 1, drawn.stage);
    await store.cutChunk({ ...cut, part: 0, rejects: [], at });
    await test.openRun("r3");
    const again = await draw("r3");
    const older = { full: true, rejectDuplicates: false, runId: "r3" };
    const age = ageOf(drawn.send, 0);
    expect(await judge(again, { a: 1 }, { ...older, ages: [age] })).toEqual([superseded]);
    const begunAt = drawn.send - 1;
    expect(await judge(again, { a: 1 }, { ...older, begunAt })).toEqual([unchanged]);
  });
});
