import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { ApplicationFailure } from "@temporalio/common";
import { z } from "zod";

import type {
  CloseRunInput,
  OpenedRun,
  PartRef,
  SplitInput,
  StageResult,
} from "../../../activities/inputs.ts";
import type { RunReport } from "../../../src/report/report.ts";
import type { StoredReject } from "../../../src/state/contract/rejects/rejects.ts";
import type { RunRequest } from "../../../src/state/contract/runs/runs.ts";
import type { Run } from "../../../src/state/contract/runs/runs.ts";
import type { Receipt } from "../../../src/state/contract/sends/receipts.ts";
import { howToSplit } from "../../../workflows/sync/how-to-split.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "./harness.ts";

type Form = Receipt["form"];

/** A staged chunk of a run, as the tests name it. */
export type Staged = StageResult & { readonly chunk: number };

/** One run, driven activity by activity: like the workflow, without Temporal and one step at a time. */
export class TestRun {
  readonly harness: Harness;
  readonly opened: OpenedRun;

  private constructor(harness: Harness, opened: OpenedRun) {
    this.harness = harness;
    this.opened = opened;
  }

  static async open(
    harness: Harness,
    asked: {
      readonly runId?: string;
      readonly request?: RunRequest;
      /** @default the kind that the request asks for */
      readonly kind?: "inbox" | "resend";
      /** @default accounts */
      readonly sync?: string;
    } = {},
  ): Promise<TestRun> {
    const { runId = "run-1", request = {}, sync = "accounts" } = asked;
    const workflow = { workflowId: `wf-${runId}`, firstRunId: `first-${runId}` };
    const { kind = request.replay === undefined ? "sync" : "replay" } = asked;
    const input = { sync, kind, runId, ...workflow, request } as const;
    return new TestRun(harness, await harness.perform(harness.activities.openRun, input));
  }

  /** A backfill: planned and approved, or continued where it has yielded. */
  static async backfill(
    harness: Harness,
    how: { readonly more?: object; readonly isBegun?: boolean } = {},
  ): Promise<TestRun> {
    const { planBackfill, openBackfill } = harness.activities;
    const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };
    const raw = { sync: "accounts", approve: "auto", ...how.more };
    const planned =
      how.isBegun === true ? undefined : await harness.perform(planBackfill, { ...ref, raw });
    if (planned !== undefined && "problem" in planned) throw new Error(planned.problem);
    const approved = planned?.plan;
    const opened = await harness.perform(openBackfill, { ...ref, raw, approved });
    if ("moved" in opened) throw new Error(opened.moved);
    return new TestRun(harness, opened);
  }

  async stage(chunk = 1): Promise<Staged> {
    const { harness, opened } = this;
    const staged = await harness.perform(harness.activities.stageChunk, { ...opened, chunk });
    return { ...staged, chunk };
  }

  part({ chunk, stage }: Pick<Staged, "chunk" | "stage">, part = 0): PartRef {
    return { ...this.opened, chunk, stage, part };
  }

  async receipt(part: PartRef): Promise<Receipt | undefined> {
    return await this.harness.state.receipt(part);
  }

  /** Sends one part. Returns its failure, or undefined if the service took it. */
  async attemptPart(part: PartRef, form: Form): Promise<ApplicationFailure | undefined> {
    const { harness } = this;
    const { uploadJson, uploadFile, confirmUpload } = harness.activities;
    const send = async (): Promise<void> => {
      if (form === "body") await harness.perform(uploadJson, part);
      else {
        const { fileKey } = await harness.perform(uploadFile, part);
        await harness.perform(confirmUpload, { ...part, fileKey });
      }
    };
    let failure: ApplicationFailure | undefined;
    await send().catch(async (error: unknown) => {
      failure = await failureOf(Promise.reject(error));
    });
    return failure;
  }

  /** Sends the parts of a chunk in order and splits refused ones; any other failure is thrown. */
  async send(staged: Staged, form: Form = "file"): Promise<void> {
    const count = form === "body" ? staged.parts : 1;
    const parts = staged.records === 0 ? [] : Array.from({ length: count }, (_, part) => part);
    for (let number = parts.shift(); number !== undefined; number = parts.shift()) {
      const part = this.part(staged, number);
      const failure = await this.attemptPart(part, form);
      if (failure === undefined) continue;
      const how = splitOf(failure);
      if (how === undefined) throw failure;
      parts.unshift(...(await this.split(part, how)));
    }
  }

  async split(part: PartRef, how: SplitInput["how"]): Promise<readonly number[]> {
    const { harness } = this;
    return (await harness.perform(harness.activities.splitChunk, { ...part, how })).parts;
  }

  async commit({ chunk, stage }: Pick<Staged, "chunk" | "stage">): Promise<void> {
    const { harness, opened } = this;
    await harness.perform(harness.activities.commitChunk, { ...opened, chunk, stage });
  }

  async close(closing: Omit<CloseRunInput, "runId"> = { outcome: "done" }): Promise<RunReport> {
    const { harness, opened } = this;
    const { runId } = opened;
    const report = await harness.perform(harness.activities.closeRun, { runId, ...closing });
    if (report === null) throw new Error(`run ${runId} is not in the store`);
    return report;
  }

  /** Stages, sends and commits chunk after chunk, then closes. */
  async transfer(form: Form = "file"): Promise<RunReport> {
    for (let chunk = 1, done = false; !done; chunk++) {
      const staged = await this.stage(chunk);
      await this.send(staged, form);
      await this.commit(staged);
      ({ done } = staged);
    }
    return await this.close();
  }

  async stored(): Promise<Run> {
    const run = await this.harness.state.run(this.opened.runId);
    if (run === undefined) throw new Error(`run ${this.opened.runId} is not in the store`);
    return run;
  }

  async rejects(): Promise<StoredReject[]> {
    return await this.harness.state.rejects({ runId: this.opened.runId, limit: 1_000 });
  }
}

const refused = z.object({ index: z.int(), field: z.string().optional() });
const refusal = z.tuple([z.object({ refused: z.array(refused).optional() })]);

/** As the workflow reads a failure: how its part is to be split, or undefined if it is not. */
export function splitOf({ type, details }: ApplicationFailure): SplitInput["how"] | undefined {
  return howToSplit(type, refusal.safeParse(details).data?.[0] ?? {});
}

/** A run over this text as `accounts.csv`; `sync` holds more members of the sync. */
export async function runOver(
  csv: string,
  how: { readonly sync?: readonly string[]; readonly request?: RunRequest } = {},
): Promise<TestRun> {
  const { sync = [], request = {} } = how;
  const settings = { yaml: accountsYaml(...sync), files: { "accounts.csv": csv } };
  return await TestRun.open(await Harness.open(settings), { request });
}

/** Stages chunk after chunk to the source's end, without sending. */
export async function stageAll(run: TestRun): Promise<Staged[]> {
  const chunks: Staged[] = [];
  do chunks.push(await run.stage(chunks.length + 1));
  while (chunks.at(-1)?.done !== true);
  return chunks;
}

/** A CSV file of accounts in which these rows, counted from 0, have no domain. */
export function csvWithBroken(count: number, broken: readonly number[]): string {
  const lines = accountsCsv(count).split("\n");
  for (const row of broken) lines[row + 1] = `a${row},,name`;
  return lines.join("\n");
}

/** Rows of the runs that `openedRun` and `stagedRun` make. */
export const rows = 5;

/** A run over five accounts; `sync` holds more members of the sync. */
export async function openedRun(...sync: readonly string[]): Promise<TestRun> {
  return await runOver(accountsCsv(rows), { sync });
}

/** The same, with its only chunk staged. */
export async function stagedRun(
  ...sync: readonly string[]
): Promise<{ readonly run: TestRun; readonly chunk: Staged }> {
  const run = await openedRun(...sync);
  return { run, chunk: await run.stage() };
}

/** Names of the files that a run has staged, sorted. */
export async function stagedFiles({
  harness,
  opened,
}: Pick<TestRun, "harness"> & { readonly opened: { readonly runId: string } }): Promise<string[]> {
  const folder = join(harness.deps.stagingFolder, opened.runId);
  const names: string[] = await readdir(folder).catch(() => []);
  return names.toSorted((a, b) => a.localeCompare(b));
}
