import { expect, it } from "vitest";

import { reportOfRun } from "../../../src/report/of-run.ts";
import { someOf } from "../../support/trials.ts";
import { implementations, StoreUnderTest } from "./store-under-test.ts";

const counts = { read: 1_000, records: 10, unchanged: 985, filtered: 2, rejected: 3 };

it.each(someOf(implementations, 2))(
  "tells how far a run of $kind has read before anything of it is committed",
  async ({ open }) => {
    const { store } = await StoreUnderTest.open(open).then(async (under) => {
      await under.openRun("r1");
      return under;
    });
    const name = { runId: "r1", chunk: 1, host: "h" };
    const { stage: old } = await store.beginStaging(name);
    await store.noteStage({ ...name, stage: old, counts, to: { row: 1_000 } });
    const { stage } = await store.beginStaging(name);
    expect(await store.openStagings({ runId: "r1" })).toMatchObject([{ stage, read: 0, to: null }]);
    await store.noteStage({ ...name, stage, counts, to: { row: 1_000 } });
    // An abandoned staging does not count for an observer.
    await store.noteStage({ ...name, stage: old, counts, to: { row: 1_000 } });
    expect(await store.openStagings({ runId: "r1" })).toMatchObject([
      { stage, state: "staging", ...counts, to: { row: 1_000 } },
    ]);
    const run = await store.run("r1");
    if (run === undefined) throw new Error("there is no run");
    const report = await reportOfRun(store, run);
    expect([report.under_way, report.counts.read, report.balanced]).toEqual([counts, 0, true]);
  },
);
