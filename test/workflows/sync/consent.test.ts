import type { WorkflowHandle } from "@temporalio/client";
import { describe, expect, it } from "vitest";

import type { CloseRunInput } from "../../../activities/inputs.ts";
import type { Hold } from "../../../src/state/contract/runs/holds.ts";
import { reportWith } from "../../support/project/report.ts";
import {
  detailsOf,
  fakeWorld,
  fault,
  goodRun,
  progressOf,
  stagedChunk,
  type Activities,
  type Faked,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };

const hold: Hold = {
  number: 1,
  digest: "0123abcd",
  since: "2026-01-02T03:04:05.000Z",
  broken: [{ guardrail: "changed_above", figure: 31, of: 100, bound: { share: 0.3 } }],
  approvedAt: null,
};
const named = { hold: 1, digest: "0123abcd" };

/** The activities of a weighed run of this many chunks, which finds these holds one after the other. */
function weighedRun(
  chunks: number,
  holds: readonly (Hold | null)[],
  settings: Parameters<typeof goodRun>[1] = {},
): { readonly activities: Partial<Activities>; readonly closings: CloseRunInput[] } {
  const left = [...holds];
  const closings: CloseRunInput[] = [];
  const activities: Partial<Activities> = {
    ...goodRun(chunks, { consentMs: 60_000, ...settings }),
    weighRun: async () => left.shift() ?? null,
    approveHold: async () => ({}),
    stagedChunk: async ({ chunk }) => stagedChunk({ done: chunk === chunks }),
    closeRun: async (closing) => {
      closings.push(closing);
      return reportWith({ run_id: closing.runId, outcome: closing.outcome });
    },
  };
  return { activities, closings };
}

/** Waits until a run is held, with the hold of this number. */
async function held(run: Faked, handle: WorkflowHandle, number = 1): Promise<void> {
  await run.until(async () => (await progressOf(handle)).held?.number === number);
}

/** Why an update is refused; undefined if it is accepted. */
async function refusalOf(
  handle: WorkflowHandle,
  update: string,
  argument?: unknown,
): Promise<unknown> {
  return await handle.executeUpdate<void, [unknown]>(update, { args: [argument] }).then(
    () => undefined,
    (error: unknown) =>
      error instanceof Error && error.cause instanceof Error ? error.cause.message : error,
  );
}

/** Whether a workflow has accepted an update for validation. */
async function isAccepted(handle: WorkflowHandle, update: string): Promise<boolean> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).some(
    ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
      accepted?.acceptedRequest?.input?.name === update,
  );
}

const notHeld = "the run is not held: nothing of it waits for consent";

/** A run that gets its answer while it is weighed; `weighed` sets the result of the weighing. */
async function answeredEarly(
  update: string,
  argument: unknown,
): Promise<{
  readonly handle: WorkflowHandle;
  readonly answer: Promise<unknown>;
  readonly weighed: (found: Hold | null) => void;
}> {
  const { activities } = weighedRun(1, []);
  const { promise, resolve: weighed } = Promise.withResolvers<Hold | null>();
  const run = fakes({ ...activities, weighRun: async () => await promise });
  const handle = await run.start("sync", input);
  await run.until(async () => await Promise.resolve(run.calls.includes("weighRun")));
  const answer = refusalOf(handle, update, argument);
  await run.until(async () => await isAccepted(handle, update));
  return { handle, answer, weighed };
}

const leaving = ["uploadJson", "uploadFile", "confirmUpload", "commitChunk"];

describe("a run that is weighed", () => {
  it("stages everything before its first byte leaves, and sends it in order where nothing holds it", async () => {
    const { activities } = weighedRun(3, [null]);
    const run = fakes(activities);
    expect(await (await run.run("sync", input)).result()).toMatchObject({ outcome: "done" });
    const steps = run.callsOf("stageChunk", "weighRun", "stagedChunk", "commitChunk");
    expect(steps.slice(0, 4)).toEqual(["stageChunk 1", "stageChunk 2", "stageChunk 3", "weighRun"]);
    expect(run.calls.indexOf("weighRun")).toBeLessThan(run.calls.indexOf("uploadFile 1.0"));
    expect(run.callsOf("commitChunk")).toEqual(["commitChunk 1", "commitChunk 2", "commitChunk 3"]);
  });

  it("is held without sending anything, and sends what was staged once that is approved", async () => {
    const { activities } = weighedRun(2, [hold]);
    const run = fakes(activities);
    const handle = await run.start("sync", input);
    await held(run, handle);
    expect(run.callsOf(...leaving)).toEqual([]);
    const details = await detailsOf(handle);
    expect(details).toContain("changed_above 30%: 31 of 100 known records changed (31%)");
    expect(details).toContain(JSON.stringify(named));
    expect(details).toContain("End it, with nothing changed: `sluice discard");
    await handle.executeUpdate("approve", { args: [named] });
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("stageChunk")).toHaveLength(2);
    expect(run.calls.indexOf("approveHold")).toBeLessThan(run.calls.indexOf("uploadFile 1.0"));
    const { counts, held: stillHeld } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 20, sent: 20, staged_chunks: 2, committed_chunks: 2 });
    expect(stillHeld).toBeUndefined();
  });

  it("takes an approval of what is held alone, and only once", async () => {
    const { activities } = weighedRun(1, [hold]);
    const run = fakes(activities);
    const handle = await run.start("sync", input);
    await held(run, handle);
    const says = `say what you approve, as the details show it: ${JSON.stringify(named)}`;
    expect(await refusalOf(handle, "approve")).toBe(says);
    expect(await refusalOf(handle, "approve", { hold: 1 })).toBe(says);
    const stale = `that is not what is held now: look at the details again, and approve ${JSON.stringify(named)}`;
    expect(await refusalOf(handle, "approve", { ...named, digest: "other" })).toBe(stale);
    expect(await refusalOf(handle, "approve", { ...named, hold: 2 })).toBe(stale);
    expect(run.callsOf(...leaving)).toEqual([]);
    expect(await refusalOf(handle, "approve", named)).toBeUndefined();
    expect(await refusalOf(handle, "approve", named)).toMatch(
      /^the run (?:was approved already: it continues|has ended)$/,
    );
    await handle.result();
  });

  it.each([
    { update: "approve", argument: named, found: hold, refused: undefined, outcome: "done" },
    { update: "discard", found: hold, refused: undefined, outcome: "discarded" },
    { update: "discard", found: null, refused: notHeld, outcome: "done" },
  ])(
    "takes an answer while it is weighed, because the store says first that it is held: $update, $outcome",
    async ({ update, argument, found, refused, outcome }) => {
      const { handle, answer, weighed } = await answeredEarly(update, argument);
      weighed(found);
      expect(await answer).toBe(refused);
      expect(await handle.result()).toMatchObject({ outcome });
    },
  );

  it("refuses an answer that came while it was weighed and names something else", async () => {
    const { handle, answer, weighed } = await answeredEarly("approve", { ...named, digest: "o" });
    weighed(hold);
    expect(await answer).toBe(
      `that is not what is held now: look at the details again, and approve ${JSON.stringify(named)}`,
    );
    expect((await progressOf(handle)).held).toMatchObject(hold);
    await handle.terminate();
  });

  it.each([
    ["discarded by a person", 60_000],
    ["left alone until its time is over", 500],
  ])("ends with nothing sent when it is %s", async (_, consentMs) => {
    const { activities, closings } = weighedRun(2, [hold], { consentMs });
    const run = fakes(activities);
    const handle = await run.start("sync", input);
    if (consentMs > 1_000) {
      await held(run, handle);
      await handle.executeUpdate("discard");
    }
    expect(await handle.result()).toMatchObject({ outcome: "discarded" });
    expect(run.callsOf(...leaving, "approveHold")).toEqual([]);
    expect(run.calls).toContain("dropChunk");
    expect(closings).toMatchObject([{ outcome: "discarded" }]);
  });

  it.each([
    { how: "cancelled", consentMs: 60_000 },
    { how: "left alone", consentMs: 500 },
  ])("takes no answer once it ends because it was $how", async ({ how, consentMs }) => {
    const { activities } = weighedRun(1, [hold], { consentMs });
    const gate = Promise.withResolvers<void>();
    const run = fakes({
      ...activities,
      dropChunk: async () => {
        await gate.promise;
        return {};
      },
    });
    const handle = await run.start("sync", input);
    if (how === "cancelled") {
      await held(run, handle);
      await handle.cancel();
    }
    await run.begun("dropChunk");
    const refusals = [
      await refusalOf(handle, "approve", named),
      await refusalOf(handle, "discard"),
    ];
    const { held: stillHeld } = await progressOf(handle);
    gate.resolve();
    await handle.result().catch(() => undefined);
    const ending = "the run is ending: nothing of it waits for consent any more";
    expect(refusals).toEqual([ending, ending]);
    expect(stillHeld).toBeUndefined();
    expect(run.callsOf(...leaving, "approveHold")).toEqual([]);
  });

  it("stages the rest again that was lost, and asks again before it sends any of it", async () => {
    const other = { ...hold, number: 2, digest: "4567", broken: [] };
    const { activities } = weighedRun(3, [hold, other]);
    let losses = 1;
    const run = fakes({
      ...activities,
      uploadFile: async ({ chunk }) => {
        if (chunk === 2 && losses-- > 0) throw fault("StagedFileMissing");
        return { fileKey: `key-${chunk}` };
      },
    });
    const handle = await run.start("sync", input);
    await held(run, handle);
    await handle.executeUpdate("approve", { args: [named] });
    await held(run, handle, 2);
    expect(run.callsOf("commitChunk")).toEqual(["commitChunk 1"]);
    expect((await progressOf(handle)).counts).toMatchObject({ read: 30, staged_chunks: 3 });
    const details = await detailsOf(handle);
    expect(details).toContain("the approved records had to be staged again");
    expect(details).toContain("End it, with what was committed kept: `sluice discard");
    await handle.executeUpdate("approve", { args: [{ hold: 2, digest: "4567" }] });
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.callsOf("stageChunk").slice(3)).toEqual(["stageChunk 2", "stageChunk 3"]);
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 30, sent: 30, staged_chunks: 3, committed_chunks: 3 });
  });

  it("continues in other executions, while it stages and while it sends", async () => {
    const { activities } = weighedRun(5, [null], { chunksPerRun: 2 });
    const run = fakes(activities);
    const handle = await run.run("sync", input);
    expect(run.executions.size).toBeGreaterThan(3);
    expect(run.callsOf("stageChunk", "weighRun", "commitChunk")).toEqual([
      ...[1, 2, 3, 4, 5].map((chunk) => `stageChunk ${chunk}`),
      "weighRun",
      ...[1, 2, 3, 4, 5].map((chunk) => `commitChunk ${chunk}`),
    ]);
    const { counts } = await progressOf(handle);
    expect(counts).toMatchObject({ read: 50, sent: 50, staged_chunks: 5, committed_chunks: 5 });
  });

  it("is not held where it is not asked for, and refuses an approval", async () => {
    const run = fakes(goodRun(1));
    const handle = await run.run("sync", input);
    expect(run.callsOf("weighRun", "stagedChunk")).toEqual([]);
    expect(await refusalOf(handle, "approve", named)).toBeDefined();
  });
});
