import { beforeEach, describe, expect, it } from "vitest";

import { type Changes, noChanges } from "../../../src/state/contract/sends/changes.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { someOf } from "../../support/trials.ts";
import { at, implementations, staged, StoreUnderTest } from "./store-under-test.ts";

const hold = {
  number: 1,
  digest: "0123",
  since: at,
  broken: [
    { guardrail: "changed_above", figure: 4, of: 10, bound: { share: 0.3 } },
    { guardrail: "new_above", figure: 600, of: null, bound: { count: 500 } },
  ],
  approvedAt: null,
};

const changes: Changes = { ...noChanges, new: 6, changed: 4, fields: { name: 4, 'a."b"': 1 } };

describe.each(someOf(implementations, 2))("what a run has staged: $kind", ({ open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await test.openRun("r1");
  });

  /** Stages a chunk of records with this hash. */
  const stage = async (chunk: number, jsonlSha256: string): Promise<number> => {
    const drawn = await store.beginStaging({ runId: "r1", chunk, host: "h" });
    const ref = { runId: "r1", chunk, stage: drawn.stage };
    await store.finishStage({ ...ref, ...staged, jsonlSha256, changes });
    return drawn.stage;
  };
  const digest = async (): Promise<string> => await store.stagedDigest({ runId: "r1" });

  it("is kept with what it is held for", async () => {
    expect((await store.run("r1"))?.hold).toBeNull();
    await store.setHold({ runId: "r1", hold });
    const approved = { ...hold, approvedAt: at };
    await store.setHold({ runId: "r1", hold: approved });
    expect((await store.run("r1"))?.hold).toEqual(approved);
  });

  it("has a digest of the records of all chunks, committed or not", async () => {
    await stage(1, "aa");
    await stage(2, "bb");
    const before = await digest();
    expect(before).toMatch(/^[0-9a-f]{12}$/);
    await test.accept("r1", 1, 1);
    await store.commitChunk({ runId: "r1", chunk: 1, stage: 1, at });
    expect(await digest()).toBe(before);
    await stage(2, "bb");
    expect(await digest()).toBe(before);
    await stage(2, "cc");
    expect(await digest()).not.toBe(before);
    const { state } = (await store.newestStaging({ runId: "r1", chunk: 2 })) ?? {};
    expect(state).toBe("staged");
    expect(await store.newestStaging({ runId: "r1", chunk: 3 })).toBeUndefined();
  });

  it("says why its records are sent: of what is committed, or staged too, and of no staging twice", async () => {
    await stage(1, "aa");
    await stage(1, "aa");
    await stage(2, "bb");
    await test.accept("r1", 1, 2);
    await store.commitChunk({ runId: "r1", chunk: 1, stage: 2, at });
    const tally = async (isStaged: boolean): Promise<Changes | undefined> =>
      (await store.tally({ runId: "r1", staged: isStaged })).changes;
    expect(await tally(false)).toEqual(changes);
    expect(await tally(true)).toMatchObject({ new: 12, changed: 8, fields: { name: 8 } });
    await test.openRun("r2");
    expect((await store.tally({ runId: "r2", staged: true })).changes).toBeUndefined();
  });
});
