import { describe, expect, it } from "vitest";

import type { Swept } from "../../../activities/inbox/sweep-inboxes.ts";
import { drainRunsKeptMs } from "../../../activities/limits.ts";
import { inboxGroupCharsMax } from "../../../src/inbox/limits.ts";
import { eventIdsKeptMs } from "../../../src/limits.ts";
import { Secret } from "../../../src/security/secret.ts";
import { keyName } from "../../../src/service/key-limits.ts";
import { Harness, accountsYaml, harnessKey } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { PostedHarness } from "../../support/webhooks/posted.ts";

const hourMs = 3_600_000;
const nothing = { events: 0, ids: 0, runs: 0 };

async function sweep({ harness, activities }: PostedHarness): Promise<Swept> {
  return await harness.perform(async () => await activities.sweepInboxes(), undefined);
}

async function drain({ harness }: PostedHarness, runId: string): Promise<void> {
  await (await TestRun.open(harness, { runId, kind: "inbox" })).transfer();
}

describe("sweepInboxes", () => {
  it("starts the drain of a connection with something unread, as often as it is asked", async () => {
    const posted = await PostedHarness.open();
    expect(await sweep(posted)).toEqual({ drained: [], shut: null, removed: nothing });
    await posted.post("a1");
    for (let times = 0; times < 2; times++) {
      expect(await sweep(posted)).toEqual({ drained: ["forms"], shut: null, removed: nothing });
    }
    await drain(posted, "run-1");
    expect((await sweep(posted)).drained).toEqual([]);
    expect(posted.started).toEqual(["forms", "forms"]);
  });

  it("starts none while nothing can be sent", async () => {
    const posted = await PostedHarness.open();
    const { clock, state } = posted.harness;
    const limit = `api:${keyName(new Secret(harnessKey))}:refused`;
    const event = { kind: "blocked", forMs: 1_000, why: "401" } as const;
    await state.noteLimit({ ...clock.moment(), limit, event });
    await posted.post("a1");
    const { drained, shut } = await sweep(posted);
    expect([drained, shut]).toEqual([[], expect.stringContaining("was refused before")]);
    expect(posted.started).toEqual([]);
  });

  it.each([
    [-1, 0],
    [0, 0],
    [1, 1],
  ])(
    "removes what every sync accepted %i ms after it lay its time: %i events",
    async (afterMs, events) => {
      const posted = await PostedHarness.open({ connection: "retention: 1h" });
      const { clock } = posted.harness;
      await posted.post("a1");
      await drain(posted, "run-1");
      clock.nowMs += hourMs + afterMs;
      expect((await sweep(posted)).removed).toEqual({ ...nothing, events });
    },
  );

  it("removes large events in several steps", async () => {
    const posted = await PostedHarness.open({ connection: "retention: 1h" });
    const { clock } = posted.harness;
    const text = "x".repeat(inboxGroupCharsMax / 2);
    for (const id of ["a1", "a2", "a3"]) {
      const json = JSON.stringify({ id, domain: "c.example", name: "n", text });
      const delivery = { connection: "forms", receivedAt: clock.nowMs, events: [{ json }] };
      await posted.inbox.keep(delivery);
    }
    await drain(posted, "run-1");
    clock.nowMs += hourMs + 1;
    expect((await sweep(posted)).removed.events).toBe(3);
  });

  it("removes nothing that a sync has not accepted, or that no sync reads", async () => {
    const posted = await PostedHarness.open({ connection: "retention: 1h", others: ["copies"] });
    await posted.post("a1");
    await drain(posted, "run-1");
    posted.harness.clock.nowMs += 2 * hourMs;
    expect((await sweep(posted)).removed).toEqual(nothing);
    expect(await posted.inbox.standings()).toMatchObject([{ waiting: 1 }]);
  });

  it("forgets event ids in their time", async () => {
    const posted = await PostedHarness.open();
    const events = [{ json: "{}", id: "e1" }];
    const receivedAt = posted.harness.clock.nowMs;
    await posted.inbox.keep({ connection: "forms", receivedAt, events });
    posted.harness.clock.nowMs += eventIdsKeptMs;
    expect((await sweep(posted)).removed.ids).toBe(0);
    // The hour in which it came is over, too.
    posted.harness.clock.nowMs += 3_600_000;
    expect((await sweep(posted)).removed.ids).toBe(1);
  });

  it("removes drains' runs that had nothing to tell, but never the newest", async () => {
    const posted = await PostedHarness.open();
    const { clock, state } = posted.harness;
    for (const run of ["run-1", "run-2", "run-3"]) {
      await posted.post(run);
      await drain(posted, run);
    }
    clock.nowMs += drainRunsKeptMs;
    expect((await sweep(posted)).removed.runs).toBe(0);
    clock.nowMs += 1;
    expect((await sweep(posted)).removed.runs).toBe(2);
    expect(await state.runs({ limit: 5 })).toMatchObject([{ runId: "run-3" }]);
  });

  it("finds nothing where no connection is posted to", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    const swept = harness.perform(async () => await harness.activities.sweepInboxes(), undefined);
    expect(await swept).toEqual({ drained: [], shut: null, removed: nothing });
  });
});
