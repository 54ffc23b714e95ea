import { ApplicationFailure } from "@temporalio/common";
import { z } from "zod";

import type { Dependencies } from "../../../activities/dependencies.ts";
import { createHostActivities, createSharedActivities } from "../../../activities/index.ts";
import type { HostActivities, SharedActivities } from "../../../activities/index.ts";
import type { PartRef, RunRef, StageResult } from "../../../activities/inputs.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { uploadsPerPartMax } from "../../../workflows/limits.ts";
import type { Journal, Told } from "../journal.ts";
import { runAttempt } from "./attempt.ts";

/** The run that is driven. */
export const runIds = { runId: "run-2", workflowId: "wf-2", firstRunId: "first-2" };

/** One run to drive. */
export type Drive = {
  readonly run: typeof runIds;
  readonly mode: "lightweight" | "heavyweight";
  /** Whether a guardrail holds it, until somebody approves it. */
  readonly isHeld?: boolean | undefined;
  readonly deps: Dependencies;
  readonly journal: Journal;
};

const attemptsMax = 5;

/** Runs the activities as Temporal would, from where the journal ends. */
export class Driver {
  readonly #deps: Dependencies;
  readonly #journal: Journal;
  readonly #told: Told;
  readonly activities: HostActivities & SharedActivities;

  constructor({ deps, journal }: Pick<Drive, "deps" | "journal">) {
    this.#deps = deps;
    this.#journal = journal;
    this.#told = journal.read();
    this.activities = { ...createHostActivities(deps), ...createSharedActivities(deps) };
  }

  /** One activity: its result from the journal, or its attempts until it completes or is not to be retried. */
  async perform<Input, Result>(
    name: string,
    activity: (input: Input) => Promise<Result>,
    input: Input,
  ): Promise<Result> {
    const { results, begun, heartbeats } = this.#told;
    if (results.has(name)) return z.custom<Result>().parse(results.get(name));
    const [activityType = name] = name.split(" ");
    const before = begun.filter((each) => each === name).length;
    let heartbeatDetails = heartbeats.get(name);
    const heartbeat = (details: unknown): void => {
      heartbeatDetails = details;
      this.#journal.add({ heartbeat: name, details });
    };
    for (let attempt = before + 1; ; attempt++) {
      this.#journal.add({ begun: name });
      const info = { activityType, attempt, heartbeatDetails, heartbeat };
      try {
        const result = await runAttempt(info, async () => await activity(input));
        await this.#deps.effect(`complete ${name}`, async () => {
          this.#journal.add({ completed: name, result });
        });
        return result;
      } catch (error) {
        const isFinal = !(error instanceof ApplicationFailure) || error.nonRetryable === true;
        if (isFinal || attempt > before + attemptsMax) throw error;
      }
    }
  }
}

/** Sends a part until the service has taken it. */
export async function sendPart(driver: Driver, mode: Drive["mode"], part: PartRef): Promise<void> {
  const { uploadJson, uploadFile, confirmUpload } = driver.activities;
  const name = `chunk ${part.chunk} part ${part.part}`;
  if (mode === "lightweight") {
    await driver.perform(`uploadJson of ${name}`, uploadJson, part);
    return;
  }
  for (let uploads = 1; ; uploads++) {
    const again = uploads > 1 ? `, upload ${uploads}` : "";
    const { fileKey } = await driver.perform(`uploadFile of ${name}${again}`, uploadFile, part);
    try {
      const input = { ...part, fileKey };
      await driver.perform(`confirmUpload of ${name}${again}`, confirmUpload, input);
      return;
    } catch (error) {
      const isGone = error instanceof ApplicationFailure && error.type === "UploadGone";
      if (!isGone || uploads >= uploadsPerPartMax) throw error;
    }
  }
}

/** Stages the whole of a held run, and approves it. */
async function approveWhole(
  driver: Driver,
  { ref, stage }: { readonly ref: RunRef; readonly stage: (chunk: number) => Promise<StageResult> },
): Promise<void> {
  const { weighRun, approveHold } = driver.activities;
  for (let chunk = 1; !(await stage(chunk)).done;) chunk += 1;
  const hold = await driver.perform("weighRun", weighRun, ref);
  if (hold === null) throw new Error("no guardrail holds the run");
  await driver.perform("approveHold", approveHold, { ...ref, number: hold.number });
}

/**
 * Runs a sync to its end in its workflow's order, from where the journal ends: the next chunk is staged before the
 * current one is sent, the maximum of two, and nothing runs concurrently, so that the n-th effect is always the same.
 */
export async function driveRun(drive: Drive): Promise<RunReport> {
  const { run, mode, isHeld = false } = drive;
  const driver = new Driver(drive);
  const { openRun, stageChunk, stagedChunk, commitChunk, dropChunk, closeRun } = driver.activities;
  const opening = { ...run, sync: "accounts", kind: "sync", request: { mode } } as const;
  const { runId, storeId, configHash, fence } = await driver.perform("openRun", openRun, opening);
  const ref: RunRef = { runId, storeId, configHash, fence };
  const stage = async (chunk: number): Promise<StageResult> =>
    await driver.perform(`stageChunk ${chunk}`, stageChunk, { ...ref, chunk });
  const taken = async (chunk: number): Promise<StageResult> =>
    await driver.perform(`stagedChunk ${chunk}`, stagedChunk, { ...ref, chunk });
  if (isHeld) await approveWhole(driver, { ref, stage });
  const chunkOf = isHeld ? taken : stage;
  let next: StageResult | undefined = await chunkOf(1);
  for (let chunk = 1; next !== undefined; chunk++) {
    const staged: StageResult = next;
    next = staged.done ? undefined : await chunkOf(chunk + 1);
    const parts = mode === "lightweight" ? staged.parts : 1;
    for (let part = 0; staged.records > 0 && part < parts; part++) {
      await sendPart(driver, mode, { ...ref, chunk, stage: staged.stage, part });
    }
    const commit = { ...ref, chunk, stage: staged.stage };
    await driver.perform(`commitChunk ${chunk}`, commitChunk, commit);
    await driver.perform(
      `dropChunk ${chunk}`,
      dropChunk,
      staged.done ? { runId } : { runId, chunk },
    );
  }
  const chosen = { mode, reason: "asked for" };
  const report = await driver.perform("closeRun", closeRun, {
    runId,
    outcome: "done",
    mode: chosen,
  });
  if (report === null) throw new Error(`run ${runId} is not in the store`);
  return report;
}
