import { describe, expect, it } from "vitest";

import type { InboxesChecked } from "../../../activities/inbox/check-inboxes.ts";
import { drainRunsKeptMs, formerRetentionMs } from "../../../activities/limits.ts";
import { inboxGroupCharsMax } from "../../../src/inbox/limits.ts";
import { eventIdsKeptMs } from "../../../src/limits.ts";
import { Secret } from "../../../src/security/secret.ts";
import { keyName } from "../../../src/service/key-limits.ts";
import { Harness, accountsYaml, harnessKey } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { PostedHarness } from "../../support/webhooks/push.ts";

const hourMs = 3_600_000;
const nothing = { events: 0, ids: 0, runs: 0 };

async function check({ harness, activities }: PostedHarness): Promise<InboxesChecked> {
  return await harness.perform(async () => await activities.checkInboxes(), undefined);
}

async function drain({ harness }: PostedHarness, runId: string): Promise<void> {
  await (await TestRun.open(harness, { runId, kind: "inbox" })).transfer();
}

describe("checkInboxes", () => {
  it("starts the drain of a connection with something unread, as often as it is asked", async () => {
    const pushed = await PostedHarness.open();
    expect(await check(pushed)).toEqual({ drained: [], blocked: null, removed: nothing });
    await pushed.post("a1");
    for (let times = 0; times < 2; times++) {
      expect(await check(pushed)).toEqual({ drained: ["forms"], blocked: null, removed: nothing });
    }
    await drain(pushed, "run-1");
    expect((await check(pushed)).drained).toEqual([]);
    expect(pushed.started).toEqual(["forms", "forms"]);
  });

  it("starts none while nothing can be sent", async () => {
    const pushed = await PostedHarness.open();
    const { clock, state } = pushed.harness;
    const limit = `api:${keyName(new Secret(harnessKey))}:refused`;
    const event = { kind: "blocked", forMs: 1_000, why: "401" } as const;
    await state.noteLimit({ ...clock.moment(), limit, event });
    await pushed.post("a1");
    const { drained, blocked } = await check(pushed);
    expect([drained, blocked]).toEqual([[], expect.stringContaining("was refused before")]);
    expect(pushed.started).toEqual([]);
  });

  it.each([
    [-1, 0],
    [0, 0],
    [1, 1],
  ])(
    "removes what every sync accepted %i ms after it lay its time: %i events",
    async (afterMs, events) => {
      const pushed = await PostedHarness.open({ connection: "retention: 1h" });
      const { clock } = pushed.harness;
      await pushed.post("a1");
      await drain(pushed, "run-1");
      expect((await check(pushed)).removed).toEqual(nothing);
      clock.nowMs += hourMs + afterMs;
      expect((await check(pushed)).removed).toEqual({ ...nothing, events });
    },
  );

  it("counts the time from when every sync had accepted, and not from when an event came", async () => {
    const pushed = await PostedHarness.open({ connection: "retention: 1h" });
    const { clock } = pushed.harness;
    await pushed.post("a1");
    clock.nowMs += 30 * hourMs;
    await drain(pushed, "run-1");
    expect((await check(pushed)).removed).toEqual(nothing);
    clock.nowMs += hourMs;
    await pushed.post("a2");
    await drain(pushed, "run-2");
    expect((await check(pushed)).removed).toEqual(nothing);
    clock.nowMs += 1;
    expect((await check(pushed)).removed).toEqual({ ...nothing, events: 1 });
    expect((await check(pushed)).removed).toEqual(nothing);
    clock.nowMs += hourMs;
    expect((await check(pushed)).removed).toEqual(nothing);
    clock.nowMs += 1;
    expect((await check(pushed)).removed).toEqual({ ...nothing, events: 1 });
  });

  it("counts the time anew once a sync reads again, or the clock was set back", async () => {
    const pushed = await PostedHarness.open({ connection: "retention: 1h" });
    const { clock, deps } = pushed.harness;
    const { state, target } = deps;
    await pushed.post("a1");
    await drain(pushed, "run-1");
    await check(pushed);
    const { version } = await state.checkpoint({ target, sync: "accounts" });
    const moved = { target, sync: "accounts", version, position: null, reason: "test" };
    await state.setCheckpoint({ ...moved, at: "2026-01-01T00:00:00.000Z" });
    await check(pushed);
    clock.nowMs += 2 * hourMs;
    await drain(pushed, "run-2");
    await check(pushed);
    clock.nowMs += hourMs;
    expect((await check(pushed)).removed).toEqual(nothing);
    clock.nowMs -= 5 * hourMs;
    await check(pushed);
    const leaving = await pushed.inbox.leaving({ connection: "forms" });
    expect(leaving).toEqual({ upTo: 1, since: clock.nowMs });
  });

  it("removes large events in several steps", async () => {
    const pushed = await PostedHarness.open({ connection: "retention: 1h" });
    const { clock } = pushed.harness;
    const text = "x".repeat(inboxGroupCharsMax / 2);
    for (const id of ["a1", "a2", "a3"]) {
      const json = JSON.stringify({ id, domain: "c.example", name: "n", text });
      const delivery = { connection: "forms", receivedAt: clock.nowMs, events: [{ json }] };
      await pushed.inbox.keep(delivery);
    }
    await drain(pushed, "run-1");
    await check(pushed);
    clock.nowMs += hourMs + 1;
    expect((await check(pushed)).removed.events).toBe(3);
  });

  it("removes nothing that a sync has not accepted, or that no sync reads", async () => {
    const pushed = await PostedHarness.open({ connection: "retention: 1h", others: ["copies"] });
    await pushed.post("a1");
    await drain(pushed, "run-1");
    await check(pushed);
    pushed.harness.clock.nowMs += 2 * hourMs;
    expect((await check(pushed)).removed).toEqual(nothing);
    expect(await pushed.inbox.backlogs()).toMatchObject([{ waiting: 1 }]);
  });

  it("removes what was accepted of a connection that was renamed, and nothing that waits", async () => {
    const pushed = await PostedHarness.open({ connection: "retention: 1h" });
    const { harness, inbox } = pushed;
    await pushed.post("a1");
    await drain(pushed, "run-1");
    await check(pushed);
    await pushed.post("a2");
    const renamed = await harness.withYaml(accountsYaml());
    const later = renamed.activitiesWith({ inboxes: { inbox, startDrain: async () => undefined } });
    const removedAfter = async (ms: number): Promise<number> => {
      harness.clock.nowMs += ms;
      const checked = renamed.perform(async () => await later.checkInboxes(), undefined);
      return (await checked).removed.events;
    };
    expect(await removedAfter(formerRetentionMs)).toBe(0);
    expect(await removedAfter(1)).toBe(1);
    // One check notes what leaves next, another removes it.
    expect(await removedAfter(2 * formerRetentionMs)).toBe(0);
    expect(await removedAfter(2 * formerRetentionMs)).toBe(0);
    expect(await inbox.backlogs()).toMatchObject([{ accepted: 1, waiting: 1 }]);
    expect((await check(pushed)).drained).toEqual(["forms"]);
  });

  it("forgets event ids in their time", async () => {
    const pushed = await PostedHarness.open();
    const events = [{ json: "{}", id: "e1" }];
    const receivedAt = pushed.harness.clock.nowMs;
    await pushed.inbox.keep({ connection: "forms", receivedAt, events });
    pushed.harness.clock.nowMs += eventIdsKeptMs;
    expect((await check(pushed)).removed.ids).toBe(0);
    // The hour in which it came is over, too.
    pushed.harness.clock.nowMs += 3_600_000;
    expect((await check(pushed)).removed.ids).toBe(1);
  });

  it("removes drains' runs that had nothing to tell, but never the newest", async () => {
    const pushed = await PostedHarness.open();
    const { clock, state } = pushed.harness;
    for (const run of ["run-1", "run-2", "run-3"]) {
      await pushed.post(run);
      await drain(pushed, run);
    }
    clock.nowMs += drainRunsKeptMs;
    expect((await check(pushed)).removed.runs).toBe(0);
    clock.nowMs += 1;
    expect((await check(pushed)).removed.runs).toBe(2);
    expect(await state.runs({ limit: 5 })).toMatchObject([{ runId: "run-3" }]);
  });

  it("finds nothing where no connection is pushed to", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    const checked = harness.perform(async () => await harness.activities.checkInboxes(), undefined);
    expect(await checked).toEqual({ drained: [], blocked: null, removed: nothing });
  });
});
