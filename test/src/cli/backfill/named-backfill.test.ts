import { beforeEach, describe, expect, it } from "vitest";

import { backfillNamed, openBackfillNamed } from "../../../../src/cli/backfill/named-backfill.ts";
import { openSqliteStore } from "../../../../src/state/sqlite/open.ts";
import { at, StoreUnderTest } from "../../state/store-under-test.ts";

describe("backfillNamed and openBackfillNamed", () => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    test = await StoreUnderTest.open(openSqliteStore);
    await test.openRun("b1", "backfill");
    await test.openRun("s1", "sync");
  });

  it("find a backfill by its run or by its workflow", async () => {
    expect((await backfillNamed(test.store, "b1")).runId).toBe("b1");
    expect((await backfillNamed(test.store, "wf-b1")).runId).toBe("b1");
    expect((await openBackfillNamed(test.store, "wf-b1")).runId).toBe("b1");
  });

  it("say of any other run that it is none", async () => {
    await expect(backfillNamed(test.store, "b2")).rejects.toThrow('there is no run "b2"');
    await expect(openBackfillNamed(test.store, "s1")).rejects.toThrow(
      "run s1 is not a backfill but a sync of accounts",
    );
  });

  it("tell one that ended from one that continues", async () => {
    await test.store.endRun({ runId: "b1", outcome: "discarded", endedAt: at });
    expect((await backfillNamed(test.store, "b1")).outcome).toBe("discarded");
    await expect(openBackfillNamed(test.store, "b1")).rejects.toThrow(
      "backfill b1 has ended: discarded",
    );
  });
});
