import { ApplicationFailure } from "@temporalio/common";

import type { OpenedRun, OpenRunInput, RunRef, StageResult } from "../../../activities/inputs.ts";
import type { BackfillPlan } from "../../../src/backfill/plan.ts";
import { firstChunkOf } from "../../../src/lane-of.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { runIds, Driver, sendPart, type Drive } from "./drive-run.ts";

/** A backfill to drive, under the ids of `runIds`. */
export type BackfillDrive = Pick<Drive, "deps" | "journal"> & {
  /** The input that a person would type. */
  readonly input: object;
};

/** A lane and its next chunk. */
type AtChunk = { readonly lane: number; readonly chunk: number };

/** The backfill as it was opened last. */
type Opened = {
  readonly ref: RunRef;
  readonly lanes: number;
  readonly advanceCheckpoint: boolean;
};

/** A nightly run that wants the lock, and has nothing to send. */
const night: OpenRunInput = {
  runId: "night",
  workflowId: "wf-night",
  firstRunId: "first-night",
  sync: "accounts",
  kind: "sync",
  request: {},
};

const mode = "heavyweight";

/** A backfill, in its workflow's order. */
class Backfill {
  readonly #driver: Driver;
  readonly #raw: object;

  constructor({ input, ...drive }: BackfillDrive) {
    this.#driver = new Driver(drive);
    this.#raw = input;
  }

  async plan(): Promise<BackfillPlan> {
    const { planBackfill } = this.#driver.activities;
    const asked = { ...runIds, raw: this.#raw };
    const planned = await this.#driver.perform("planBackfill", planBackfill, asked);
    if ("problem" in planned) throw new Error(planned.problem);
    return planned.plan;
  }

  async open(name: string, approved: BackfillPlan | undefined): Promise<Opened> {
    const { openBackfill } = this.#driver.activities;
    const asked = { ...runIds, raw: this.#raw, approved };
    const opened = await this.#driver.perform(name, openBackfill, asked);
    if ("moved" in opened) throw new Error(opened.moved);
    const { runId, storeId, configHash, fence, advanceCheckpoint, plan } = opened;
    const ref = { runId, storeId, configHash, fence };
    return { ref, lanes: plan.lanes.length, advanceCheckpoint };
  }

  /**
   * Stages a chunk of each lane, then sends them. Returns the lanes that are not done, and whether another run asked
   * for the lock.
   */
  async round(
    ref: RunRef,
    at: readonly AtChunk[],
    meanwhile: () => Promise<void>,
  ): Promise<{ readonly left: readonly AtChunk[]; readonly isLockWanted: boolean }> {
    const { stageChunk } = this.#driver.activities;
    const staged: (AtChunk & { readonly result: StageResult })[] = [];
    for (const { lane, chunk } of at) {
      const asked = { ...ref, chunk };
      const result = await this.#driver.perform(`stageChunk ${chunk}`, stageChunk, asked);
      staged.push({ lane, chunk, result });
    }
    await meanwhile();
    let isLockWanted = false;
    for (const { chunk, result } of staged) {
      isLockWanted = (await this.#send(ref, chunk, result)) || isLockWanted;
    }
    const left = staged.filter(({ result }) => !result.done);
    return { left: left.map(({ lane, chunk }) => ({ lane, chunk: chunk + 1 })), isLockWanted };
  }

  async #send(ref: RunRef, chunk: number, { stage, records }: StageResult): Promise<boolean> {
    const { commitChunk, dropChunk } = this.#driver.activities;
    const { runId } = ref;
    if (records > 0) await sendPart(this.#driver, mode, { ...ref, chunk, stage, part: 0 });
    const asked = { ...ref, chunk, stage };
    const result = await this.#driver.perform(`commitChunk ${chunk}`, commitChunk, asked);
    await this.#driver.perform(`dropChunk ${chunk}`, dropChunk, { runId, chunk });
    return result.isLockWanted;
  }

  /** The nightly run asks for the lock and has to wait. */
  async beAsked(): Promise<void> {
    const { openRun } = this.#driver.activities;
    const ask = async (input: OpenRunInput): Promise<object> => {
      const opened: OpenedRun | undefined = await openRun(input).catch((error: unknown) => {
        if (error instanceof ApplicationFailure && error.type === "LockWait") return undefined;
        throw error;
      });
      if (opened !== undefined) throw new Error("two runs hold the send lock");
      return {};
    };
    await this.#driver.perform("nightWaits", ask, night);
  }

  /** Lets the nightly run go first, and continues after it. */
  async letPass(ref: RunRef): Promise<Opened> {
    const { openRun, yieldBackfill, closeRun } = this.#driver.activities;
    await this.#driver.perform("yieldBackfill", yieldBackfill, ref);
    await this.#driver.perform("nightOpens", openRun, night);
    const { runId } = night;
    await this.#driver.perform("nightCloses", closeRun, { runId, outcome: "cancelled" });
    return await this.open("openBackfill again", undefined);
  }

  async end({ ref, advanceCheckpoint }: Opened): Promise<RunReport> {
    const { dropChunk, advanceCheckpoint: advance, closeRun } = this.#driver.activities;
    const { runId } = ref;
    await this.#driver.perform("dropChunk of all", dropChunk, { runId });
    if (advanceCheckpoint) await this.#driver.perform("advanceCheckpoint", advance, ref);
    const chosen = { mode, reason: "asked for" };
    const closing = { runId, outcome: "done", mode: chosen } as const;
    const report = await this.#driver.perform("closeRun", closeRun, closing);
    if (report === null) throw new Error(`run ${runId} is not in the store`);
    return report;
  }
}

/**
 * Runs a backfill to its end in its workflow's order, from where the journal ends: its lanes take turns, and a nightly
 * run asks for the lock while their first chunks are on their way. Nothing runs concurrently, so that the n-th effect
 * is always the same.
 */
export async function driveBackfill(drive: BackfillDrive): Promise<RunReport> {
  const backfill = new Backfill(drive);
  let opened = await backfill.open("openBackfill", await backfill.plan());
  let lanes: readonly AtChunk[] = Array.from({ length: opened.lanes }, (_, index) => ({
    lane: index + 1,
    chunk: firstChunkOf(index + 1),
  }));
  for (let round = 1; lanes.length > 0; round++) {
    const { left, isLockWanted } = await backfill.round(opened.ref, lanes, async () => {
      if (round === 1) await backfill.beAsked();
    });
    lanes = left;
    if (isLockWanted && lanes.length > 0) opened = await backfill.letPass(opened.ref);
  }
  return await backfill.end(opened);
}
