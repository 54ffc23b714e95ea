import { describe, expect, it } from "vitest";

import { inboxPosition, positionIn } from "../../connectors/inbox/position.ts";
import { exitCodeOfReport } from "../../src/cli/output/exit-code.ts";
import { reportText } from "../../src/cli/output/report-text.ts";
import { lookIntoInboxes } from "../../src/cli/status/inbox.ts";
import type { RunReport } from "../../src/report/report.ts";
import { TestRun } from "../support/project/test-run.ts";
import { PostedHarness } from "../support/webhooks/push.ts";

const hourMs = 3_600_000;

async function check({ harness, activities }: PostedHarness): Promise<number> {
  const checked = harness.perform(async () => await activities.checkInboxes(), undefined);
  return (await checked).removed.events;
}

async function drain({ harness }: PostedHarness, runId: string): Promise<RunReport> {
  return await (await TestRun.open(harness, { runId, kind: "inbox" })).transfer();
}

async function post(pushed: PostedHarness, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await pushed.post(id);
}

/** Removes the sync's checkpoint: it is then like one that never sent to this target. */
async function forgetCheckpoint({ harness }: PostedHarness): Promise<void> {
  const { state, target } = harness.deps;
  const { version } = await state.checkpoint({ target, sync: "accounts" });
  const at = "2026-01-01T00:00:00.000Z";
  const moved = { target, sync: "accounts", version, position: null, reason: "test", at };
  await state.setCheckpoint(moved);
}

/** Three events were sent and removed, two more came, and the sync starts from the beginning. */
async function withGap(): Promise<PostedHarness> {
  const pushed = await PostedHarness.open({ connection: "retention: 1h" });
  await post(pushed, "a1", "a2", "a3");
  await drain(pushed, "run-1");
  expect(await check(pushed)).toBe(0);
  pushed.harness.clock.nowMs += hourMs + 1;
  expect(await check(pushed)).toBe(3);
  await post(pushed, "a4", "a5");
  await forgetCheckpoint(pushed);
  return pushed;
}

/** A checkpoint of a sync that is no longer configured, or of another account; or one that went on to `reads`. */
async function heldBy(
  sync: string,
  { target, reads = "forms" }: { readonly target?: string; readonly reads?: string } = {},
): Promise<PostedHarness> {
  const pushed = await PostedHarness.open({ connection: "retention: 1h" });
  const { deps } = pushed.harness;
  await post(pushed, "a1", "a2", "a3");
  await drain(pushed, "run-1");
  expect(await check(pushed)).toBe(0);
  const own = await deps.state.checkpoint({ target: deps.target, sync: "accounts" });
  const position = positionIn({ ...inboxPosition.parse(own.position), seq: 1 }, reads);
  const held = { target: target ?? deps.target, sync, version: 0, position };
  await deps.state.setCheckpoint({ ...held, reason: "test", at: "2026-01-01T00:00:00.000Z" });
  pushed.harness.clock.nowMs += hourMs + 1;
  return pushed;
}

describe("events that were removed before a sync read them", () => {
  it("are counted as gone, warned of, and no success", async () => {
    const pushed = await withGap();
    const report = await drain(pushed, "run-2");
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 5, sent: 2, rejected: 0, gone: 3 },
      warnings: [expect.stringContaining("3 events were removed from the inbox before")],
    });
    expect(exitCodeOfReport(report)).toBe(3);
    expect(reportText(report)).toContain("+ rejected 0 + gone 3");
  });

  it("are not called unread after a reset: they may have been sent", async () => {
    const { warnings } = await drain(await withGap(), "run-2");
    expect(warnings).toEqual([
      "3 events were removed from the inbox before this run, which begins without a checkpoint, and counted as gone: " +
        "only the sender has them still",
    ]);
  });

  it("are told of once", async () => {
    const pushed = await withGap();
    await drain(pushed, "run-2");
    await post(pushed, "a6");
    const report = await drain(pushed, "run-3");
    expect(report).toMatchObject({ outcome: "done", counts: { read: 1, sent: 1 }, warnings: [] });
    expect(report.counts.gone).toBeUndefined();
  });

  it("are none where the checkpoint is of another inbox", async () => {
    const pushed = await withGap();
    const { state, target } = pushed.harness.deps;
    const position = { inbox: "another", connection: "forms", seq: 3 };
    const { version } = await state.checkpoint({ target, sync: "accounts" });
    const at = "2026-01-01T00:00:00.000Z";
    await state.setCheckpoint({ target, sync: "accounts", version, position, reason: "test", at });
    expect((await drain(pushed, "run-2")).counts.gone).toBeUndefined();
  });
});

it("is not read again by a sync that has read another connection since", async () => {
  const pushed = await PostedHarness.open();
  const { harness, activities } = pushed;
  const { state, target } = harness.deps;
  await post(pushed, "a1", "a2", "a3");
  await drain(pushed, "run-1");
  const { version, position: own } = await state.checkpoint({ target, sync: "accounts" });
  const position = positionIn(inboxPosition.parse(own), "web");
  const at = "2026-01-01T00:00:00.000Z";
  await state.setCheckpoint({ target, sync: "accounts", version, position, reason: "test", at });
  const checked = harness.perform(async () => await activities.checkInboxes(), undefined);
  expect((await checked).drained).toEqual([]);
  expect(await pushed.inbox.backlogs()).toMatchObject([{ accepted: 3, waiting: 0 }]);
});

describe("what a checkpoint of the store has not covered", () => {
  it.each([
    ["a sync that is not configured now", "copies", {}],
    ["another account", "accounts", { target: "https://api.example other" }],
    ["a sync that reads another connection now", "copies", { reads: "web" }],
  ])("is not removed: of %s", async (...[, sync, of]) => {
    const pushed = await heldBy(sync, of);
    expect(await check(pushed)).toBe(1);
    const [backlog] = await pushed.inbox.backlogs();
    // None of its events wait to be sent: it does not fill the backlog.
    expect(backlog).toMatchObject({ accepted: 3, waiting: 0 });
  });

  it("is told by `status`, with the command that lets it go", async () => {
    const pushed = await heldBy("copies");
    await check(pushed);
    const { config, state, target } = pushed.harness.deps;
    const [forms] = await lookIntoInboxes(config, state);
    expect(forms?.problem).toEqual({
      text: `its events are kept for copies of ${target}, which is not sent now`,
      hint: `let them go: \`sluice state reset copies --target '${target}' --reason …\``,
    });
    const at = "2026-01-01T00:00:00.000Z";
    const reset = { target, sync: "copies", version: 1, position: null, reason: "gone", at };
    await state.setCheckpoint(reset);
    const [after] = await lookIntoInboxes(config, state);
    expect(after?.problem).toBeUndefined();
    expect(await check(pushed)).toBe(2);
  });

  it("is told of a sync that reads another connection now, and of none that reads this one", async () => {
    const pushed = await heldBy("copies");
    await check(pushed);
    const { config, state, target } = pushed.harness.deps;
    const own = config.syncs.get("accounts");
    if (own === undefined) throw new Error("no sync accounts");
    const problemWith = async (connection: string): Promise<unknown> => {
      const syncs = new Map([...config.syncs, ["copies", { ...own, name: "copies", connection }]]);
      return (await lookIntoInboxes({ ...config, syncs }, state))[0]?.problem;
    };
    expect(await problemWith("forms")).toBeUndefined();
    expect(await problemWith("leads")).toEqual({
      text: `its events are kept for copies of ${target}, which reads leads now`,
      hint: `let them go: \`sluice state reset copies --target '${target}' --reason …\``,
    });
  });

  it("is told of a sync that has read another connection since, and let go without a reset", async () => {
    const pushed = await heldBy("copies", { reads: "web" });
    await check(pushed);
    const { config, state, target } = pushed.harness.deps;
    const own = config.syncs.get("accounts");
    if (own === undefined) throw new Error("no sync accounts");
    const copies = { ...own, name: "copies", connection: "web" };
    const syncs = new Map([...config.syncs, ["copies", copies]]);
    const { version, position } = await state.checkpoint({ target, sync: "copies" });
    const { inbox } = inboxPosition.parse(position);
    const without = { inbox, connection: "web", seq: 0 };
    expect((await lookIntoInboxes({ ...config, syncs }, state))[0]?.problem).toEqual({
      text: `its events are kept for copies of ${target}, which reads web now`,
      hint: `let them go: \`sluice state set copies '${JSON.stringify(without)}' --reason …\``,
    });
    const at = "2026-01-01T00:00:00.000Z";
    const set = { target, sync: "copies", version, position: without, reason: "gone", at };
    await state.setCheckpoint(set);
    expect(await check(pushed)).toBe(2);
  });
});
