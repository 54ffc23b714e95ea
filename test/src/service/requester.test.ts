import { describe, expect, it } from "vitest";

import { requestingAs } from "../../../src/service/requester.ts";
import {
  ingestion,
  never,
  PaceUnderTest,
  requester,
  storage,
} from "../../support/rate-limiter-under-test.ts";

describe("requestingAs", () => {
  it("charges the innermost with the requests made and the waits told", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker();
    const [one, other] = [requester(), requester()];
    await requestingAs(one, async () => {
      await pace.enter(ingestion, never);
      await requestingAs(other, async () => await pace.enter(storage, never));
      await pace.slowDown(ingestion, 5_000, "429");
      await under.entered(pace, ingestion);
    });
    await pace.enter(storage, never);
    expect(one.tally).toEqual({ requests: 1, waitedMs: 10_000 });
    expect(other.tally).toEqual({ requests: 1, waitedMs: 0 });
  });

  it("tells the same ticket the same time, and gives it that slot", async () => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 0.5 });
    const ask = async (ticket: string): Promise<unknown> =>
      await requestingAs(
        requester({ ticket }),
        async () => await under.entered(under.worker({ perSecond: 0.5 }), ingestion),
      );
    expect(await under.entered(pace, ingestion)).toBe("entered");
    expect(await ask("a")).toMatchObject({ retryAfterMs: 2_000 });
    expect(await ask("b")).toMatchObject({ retryAfterMs: 4_000 });
    expect(await ask("a")).toMatchObject({ retryAfterMs: 2_000 });
    under.clock.nowMs += 2_000;
    expect(await ask("b")).toMatchObject({ retryAfterMs: 2_000 });
    expect(await ask("a")).toBe("entered");
  });

  it.each([
    ["inbox", 4_000],
    ["sync", 6_000],
    ["pull", 6_000],
    ["backfill", 8_000],
    [undefined, 6_000],
  ])("puts a run of kind %s behind its own class and those above", async (kind, retryAfterMs) => {
    const under = await PaceUnderTest.open();
    const pace = under.worker({ perSecond: 0.5 });
    await under.entered(pace, ingestion);
    for (const waiting of ["inbox", "sync", "backfill"]) {
      const asking = requester({ ticket: waiting, kind: waiting });
      await requestingAs(asking, async () => await under.entered(pace, ingestion));
    }
    const asking = requester({ ticket: "new", kind });
    const told = await requestingAs(asking, async () => await under.entered(pace, ingestion));
    expect(told).toMatchObject({ retryAfterMs });
  });
});
