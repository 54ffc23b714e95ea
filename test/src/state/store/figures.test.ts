import { describe, expect, it } from "vitest";

import type { RejectEntry } from "../../../../src/state/contract/rejects/rejects.ts";
import { someOf } from "../../../support/trials.ts";
import { at, implementations, name, staged, StoreUnderTest } from "../store-under-test.ts";

function reject(place: string, code: string): RejectEntry {
  return { stream: "account", place, step: "map", code, reason: "r" };
}

/** A time of the test, at this second. */
function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

/** Three runs: one of a chunk with rejects of two codes, one under way, one of another sync. */
async function opened(open: (typeof implementations)[number]["open"]): Promise<StoreUnderTest> {
  const under = await StoreUnderTest.open(open);
  const { store } = under;
  for (const runId of ["r1", "r2"]) {
    await under.openRun(runId);
    const chunk = {
      runId,
      chunk: 1,
      ...(await store.beginStaging({ runId, chunk: 1, host: "h" })),
    };
    const rejects = [
      reject("a:1", "required"),
      reject("a:2", "too_long"),
      reject("a:3", "required"),
    ];
    await store.addRejects({ ...chunk, rejects, at });
    const counts = { read: 15, records: 10, unchanged: 1, filtered: 1, rejected: 3 };
    if (runId === "r1") await under.commit(chunk, { ...staged, counts });
  }
  await store.endRun({ runId: "r1", outcome: "done_with_rejects", endedAt: at });
  await under.stage("r2", 1);
  return under;
}

describe.each(someOf(implementations, 2))("the figures of a store in $kind", ({ open }) => {
  it("count what each of the newest runs committed", async () => {
    const { store } = await opened(open);
    expect(await store.runFigures({ ...name, limit: 9 })).toEqual([
      expect.objectContaining({ runId: "r2", outcome: null, read: 0, sent: 0, rejected: 0 }),
      expect.objectContaining({
        runId: "r1",
        outcome: "done_with_rejects",
        read: 15,
        sent: 10,
        unchanged: 1,
        filtered: 1,
        rejected: 3,
      }),
    ]);
    expect(await store.runFigures({ ...name, limit: 1 })).toHaveLength(1);
    expect(await store.runFigures({ ...name, sync: "others", limit: 9 })).toEqual([]);
    expect(await store.runFigures({ ...name, target: "other", limit: 9 })).toEqual([]);
  });

  it("tell of each chunk how often it was staged and tried, and when it was committed", async () => {
    const { store } = await opened(open);
    expect(await store.chunkTimes({ runId: "r1", limit: 9 })).toEqual([
      expect.objectContaining({
        chunk: 1,
        state: "committed",
        stages: 1,
        parts: 1,
        retries: 0,
        leftAt: Date.parse(at),
        acceptedAt: Date.parse(at),
        committedAt: Date.parse(at),
        read: 15,
        records: 10,
        rejected: 3,
      }),
    ]);
    expect(await store.chunkTimes({ runId: "r2", limit: 9 })).toEqual([
      expect.objectContaining({
        chunk: 1,
        state: "staged",
        stages: 2,
        parts: 0,
        leftAt: null,
        committedAt: null,
      }),
    ]);
  });

  it("tell when a part left first, was uploaded and was accepted, however often it was tried", async () => {
    const { store } = await opened(open);
    const [chunk] = await store.chunkTimes({ runId: "r2", limit: 1 });
    const part = { runId: "r2", chunk: 1, stage: chunk?.stages ?? 0, part: 0 };
    const file = { ...part, form: "file", host: "h" } as const;
    await store.beginPart({ ...file, at: time(1) });
    const { attempts } = await store.beginPart({ ...file, at: time(2) });
    const uploaded = { ...part, attempts, state: "uploaded", fileKey: "k" } as const;
    await store.movePart({ ...uploaded, at: time(3) });
    const confirming = await store.beginPart({ ...file, confirm: "k", at: time(4) });
    const accepted = { ...part, attempts: confirming.attempts, state: "accepted" } as const;
    await store.movePart({ ...accepted, at: time(5) });
    expect(await store.chunkTimes({ runId: "r2", limit: 1 })).toEqual([
      expect.objectContaining({
        leftAt: Date.parse(time(1)),
        uploadedAt: Date.parse(time(3)),
        acceptedAt: Date.parse(time(5)),
        committedAt: null,
        retries: 1,
      }),
    ]);
  });

  it("find rejects by run, reason and time, and continue behind any of them", async () => {
    const { store } = await opened(open);
    const { target, sync } = name;
    const places = async (
      which: Omit<Parameters<typeof store.rejectsWhere>[0], "limit" | "target">,
      limit = 9,
    ): Promise<string[]> =>
      (await store.rejectsWhere({ target, ...which, limit })).map(
        ({ runId, place, code }) => `${runId} ${place} ${code}`,
      );
    const all = ["r1 a:1 required", "r1 a:2 too_long", "r1 a:3 required"];
    expect(await places({ sync })).toEqual(all);
    expect(await places({ run: "r1", code: "required" })).toEqual([all[0], all[2]]);
    expect(await places({ run: "r2" })).toEqual([]);
    expect(await places({ sync: "others" })).toEqual([]);
    expect(await places({ since: at })).toEqual(all);
    expect(await places({ until: at })).toEqual([]);
    expect(await places({ since: "2026-01-01T00:00:00.001Z" })).toEqual([]);
    for (const [index] of all.entries()) {
      const after = { run: "r1", chunk: 1, ordinal: index + 1 };
      expect(await places({ after })).toEqual(all.slice(index + 1));
      expect(await places({}, index + 1)).toEqual(all.slice(0, index + 1));
    }
  });
});
