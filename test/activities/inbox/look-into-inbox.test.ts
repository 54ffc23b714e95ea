import { describe, expect, it } from "vitest";

import type { Look } from "../../../activities/inbox/look-into-inbox.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { Secret } from "../../../src/security/secret.ts";
import { keyName, resetLimits } from "../../../src/service/key-limits.ts";
import { sleepInActivityMsMax } from "../../../src/service/limits.ts";
import { failureOf, harnessKey } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { PostedHarness } from "../../support/webhooks/push.ts";

async function look(
  { harness, activities }: Pick<PostedHarness, "activities" | "harness">,
  how: { readonly linger?: boolean; readonly backingOff?: readonly string[] } = {},
): Promise<Look> {
  const { linger = false, backingOff = [] } = how;
  return await harness.perform(activities.lookIntoInbox, {
    connection: "forms",
    linger,
    backingOff,
  });
}

/** Makes a sync send everything that has been posted so far. */
async function drain({ harness }: PostedHarness, runId: string): Promise<void> {
  await (await TestRun.open(harness, { runId, kind: "inbox" })).transfer();
}

const others = ["copies"];

describe("lookIntoInbox", () => {
  it("names the syncs with something unread, and takes the wake-up before it looks", async () => {
    const pushed = await PostedHarness.open({ others });
    expect(await look(pushed)).toEqual({ blocked: null, syncs: [], isAnswered: true });
    expect([await pushed.post("a1"), await pushed.post("a2")]).toEqual([true, false]);
    expect((await look(pushed)).syncs).toEqual(["accounts", "copies"]);
    expect(await pushed.post("a3")).toBe(true);
    await drain(pushed, "run-1");
    expect((await look(pushed)).syncs).toEqual(["copies"]);
  });

  it("has its sender wake for what comes while it looks", async () => {
    const pushed = await PostedHarness.open();
    await pushed.post("a1");
    const wakes: boolean[] = [];
    const inbox: Inbox = {
      ...pushed.inbox,
      read: async (input) => {
        const rows = await pushed.inbox.read(input);
        wakes.push(await pushed.post("a2"));
        return rows;
      },
    };
    const inboxes = { inbox, startDrain: async () => undefined };
    const { harness } = pushed;
    await look({ harness, activities: harness.activitiesWith({ inboxes }) });
    expect(wakes).toEqual([true]);
  });

  it("notes up to where every sync has accepted, and no further", async () => {
    const pushed = await PostedHarness.open({ others });
    await pushed.post("a1");
    await pushed.post("a2");
    await drain(pushed, "run-1");
    await look(pushed);
    expect(await pushed.inbox.backlogs()).toMatchObject([{ last: 2, accepted: 0, waiting: 2 }]);
    const alone = await PostedHarness.open();
    await alone.post("a1");
    await drain(alone, "run-1");
    await look(alone);
    expect(await alone.inbox.backlogs()).toMatchObject([{ last: 1, accepted: 1, waiting: 0 }]);
  });

  it.each([
    ["after the last event", { seq: 2 }],
    ["at an event of a newer copy of the inbox", { seq: 1, receivedAt: 1 }],
  ])("takes nothing for accepted that a checkpoint %s would cover", async (_, at) => {
    const pushed = await PostedHarness.open();
    await pushed.post("a1");
    const { state, target } = pushed.harness.deps;
    const position = { inbox: pushed.inbox.inboxId, connection: "forms", ...at };
    await state.setCheckpoint({
      target,
      sync: "accounts",
      version: 0,
      position,
      reason: "by hand",
      at: "2026-01-05T00:00:00Z",
    });
    expect((await look(pushed)).syncs).toEqual(["accounts"]);
    expect(await pushed.inbox.backlogs()).toMatchObject([{ accepted: 0, waiting: 1 }]);
  });

  it("leaves a sync that backs off alone, and does not take the wake-up when nobody else reads", async () => {
    const pushed = await PostedHarness.open({ others });
    await pushed.post("a1");
    expect(await look(pushed, { backingOff: ["copies", "accounts"] })).toMatchObject({
      syncs: [],
      isAnswered: false,
    });
    expect(await pushed.post("a2")).toBe(false);
    expect(await look(pushed, { backingOff: ["copies"] })).toMatchObject({
      syncs: ["accounts"],
      isAnswered: true,
    });
    expect(await pushed.post("a3")).toBe(true);
  });

  it("leaves the wake-up where no sync reads the connection", async () => {
    const alone = await PostedHarness.open();
    const { harness, inbox } = alone;
    const config = { ...harness.deps.config, syncs: new Map() };
    const inboxes = { inbox, startDrain: async () => undefined };
    const pushed = { harness, activities: harness.activitiesWith({ config, inboxes }) };
    expect(await alone.post("a1")).toBe(true);
    expect(await look(pushed)).toMatchObject({ syncs: [], isAnswered: false });
    expect(await alone.post("a2")).toBe(false);
  });

  it.each([
    ["refused", "was refused before: 401"],
    ["ingestion", "no credits until"],
  ])(
    "says why nothing can be sent, and leaves the wake-up, at the limit %s",
    async (limit, why) => {
      const pushed = await PostedHarness.open();
      const { clock, state } = pushed.harness;
      const name = `api:${keyName(new Secret(harnessKey))}`;
      const event = { kind: "blocked", forMs: 60_000, why: "401" } as const;
      await state.noteLimit({ ...clock.moment(), limit: `${name}:${limit}`, event });
      await pushed.post("a1");
      const seen = await look(pushed);
      expect(seen).toMatchObject({ syncs: [], isAnswered: false });
      expect(seen.blocked).toContain(why);
      expect(await pushed.post("a2")).toBe(false);
      await resetLimits(state, name, clock.moment());
      expect(await look(pushed)).toMatchObject({ blocked: null, syncs: ["accounts"] });
    },
  );

  it("waits out a rate limit in the run, not here", async () => {
    const pushed = await PostedHarness.open();
    const { clock, state } = pushed.harness;
    const limit = `api:${keyName(new Secret(harnessKey))}`;
    const event = { kind: "blocked", forMs: 60_000, why: "429" } as const;
    await state.noteLimit({ ...clock.moment(), limit, event });
    await pushed.post("a1");
    expect(await look(pushed)).toMatchObject({ blocked: null, syncs: ["accounts"] });
  });

  it("lingers for what comes meanwhile, but not when the oldest event has waited its time", async () => {
    const quick = await PostedHarness.open({ connection: "linger: 300ms" });
    const looking = look(quick, { linger: true });
    await quick.post("a1");
    expect((await looking).syncs).toEqual(["accounts"]);
    const slow = await PostedHarness.open({ connection: "linger: 60s" });
    await slow.post("a1", slow.harness.clock.nowMs - 60_000);
    expect((await look(slow, { linger: true })).syncs).toEqual(["accounts"]);
  }, 20_000);

  it("waits after a file of the stream as long as it is set, and an event no longer than that", async () => {
    const pushed = await PostedHarness.open({ api: "wait_behind_file: 10m", others });
    const { clock } = pushed.harness;
    const minute = 60_000;
    await pushed.post("a1");
    await drain(pushed, "run-1");
    clock.nowMs += minute;
    expect(await look(pushed)).toMatchObject({ waitMs: 9 * minute, syncs: [], isAnswered: false });
    await pushed.post("a2");
    await drain(pushed, "run-2");
    // "copies" has had a1 unread since before the second file left.
    expect((await look(pushed)).waitMs).toBe(9 * minute);
    clock.nowMs += 9 * minute;
    expect(await look(pushed)).toMatchObject({ syncs: ["copies"], isAnswered: true });
  });

  it.each([
    { set: "a day after an event", minutes: 24 * 60, isBefore: false, left: undefined },
    { set: "a bit after an event", minutes: 4, isBefore: false, left: 6 * 60_000 },
    { set: "a day before an event", minutes: 24 * 60, isBefore: true, left: 10 * 60_000 },
  ])(
    "waits no longer than is set where the clock is set back $set",
    async ({ minutes, isBefore, left }) => {
      const pushed = await PostedHarness.open({ api: "wait_behind_file: 10m" });
      await pushed.post("a1");
      await drain(pushed, "run-1");
      if (!isBefore) await pushed.post("a2");
      pushed.harness.clock.nowMs -= minutes * 60_000;
      if (isBefore) await pushed.post("a2");
      expect((await look(pushed)).waitMs).toBe(left);
    },
  );

  it("waits for no file where nothing is set", async () => {
    const pushed = await PostedHarness.open();
    await pushed.post("a1");
    await drain(pushed, "run-1");
    await pushed.post("a2");
    expect((await look(pushed)).syncs).toEqual(["accounts"]);
  });

  it("asks to be called again where lingering would hold a worker's slot, and leaves the wake-up", async () => {
    const slow = await PostedHarness.open({ connection: "linger: 60s" });
    await slow.post("a1");
    const asked = await look(slow, { linger: true });
    expect(asked).toMatchObject({ syncs: [], isAnswered: false });
    expect(asked.waitMs).toBeGreaterThan(sleepInActivityMsMax);
    expect(asked.waitMs).toBeLessThanOrEqual(60_000);
    expect(await slow.inbox.backlogs()).toMatchObject([{ hasWakeUp: true }]);
    expect((await look(slow)).syncs).toEqual(["accounts"]);
  });

  it("names the connections that are pushed to when asked for another", async () => {
    const { harness, activities } = await PostedHarness.open();
    const asked = { connection: "tickets", linger: false, backingOff: [] };
    const failure = await failureOf(harness.perform(activities.lookIntoInbox, asked));
    expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
    expect(JSON.stringify(failure.details)).toContain("those that are: forms");
  });
});

describe("a run of kind inbox", () => {
  it("misses no night that its sync is scheduled for besides", async () => {
    const sync = ['schedule: { at: "02:30", time_zone: UTC }'];
    const pushed = await PostedHarness.open({ sync });
    for (const runId of ["run-1", "run-2"]) {
      await pushed.post(runId);
      await drain(pushed, runId);
      pushed.harness.clock.nowMs += 3 * 24 * 3_600_000;
    }
    expect(await pushed.harness.state.run("run-2")).toMatchObject({ warnings: [] });
  });

  it("is stopped by no reject, and by no min_rows", async () => {
    const sync = ["reject_limit: { rate: 0%, rows: 0 }", "min_rows: 10"];
    const pushed = await PostedHarness.open({ sync });
    const bad = { json: "7" };
    const events = Array.from({ length: 9 }, () => bad);
    await pushed.inbox.keep({ connection: "forms", receivedAt: 0, events });
    const run = await TestRun.open(pushed.harness, { kind: "inbox" });
    expect(await run.transfer()).toMatchObject({
      kind: "inbox",
      outcome: "done_with_rejects",
      counts: { read: 9, rejected: 9 },
      reject_reasons: [{ code: "not_an_object", example: "forms#1" }],
    });
    expect((await look(pushed)).syncs).toEqual([]);
  });
});
