import { setInterval } from "node:timers";

import { cancelled, heartbeat } from "@temporalio/activity";
import type { WorkflowHandle } from "@temporalio/client";
import {
  ApplicationFailure,
  defineSearchAttributeKey,
  SearchAttributeType,
} from "@temporalio/common";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";

import type { FailureFacts } from "../../activities/failure.ts";
import type { HostActivities, SharedActivities } from "../../activities/index.ts";
import type { OpenedRun, RunSettings, StageResult } from "../../activities/inputs.ts";
import { laneOf } from "../../src/lane-of.ts";
import type { Progress } from "../../workflows/sync/progress.ts";
import { until } from "../support/process/process.ts";
import { examplePlan } from "../support/project/plan.ts";
import { reportWith } from "../support/project/report.ts";
import { hostQueue, taskQueue, World } from "../support/temporal/world.ts";

/** All activities, with the types of the real ones. */
export type Activities = HostActivities & SharedActivities;

const named = z.looseObject({
  chunk: z.number().optional(),
  part: z.number().optional(),
  outcome: z.string().optional(),
  target: z.string().optional(),
});

/** A chunk and a part of it: "2", "2.0"; in a lane other than the first "3:2.0". */
function placeOf(chunk: number, part: number | undefined): string {
  const { lane, ordinal } = laneOf(chunk);
  return `${lane === 1 ? "" : `${lane}:`}${ordinal}${part === undefined ? "" : `.${part}`}`;
}

/**
 * An activity as tests name it: "stageChunk 2", "uploadJson 1.0", "commitChunk 2:1", "closeRun cancelled",
 * "openRun".
 */
function nameOf(name: string, input: unknown): string {
  const { chunk, part, outcome, target } = named.safeParse(input).data ?? {};
  const of = chunk === undefined ? (outcome ?? target) : placeOf(chunk, part);
  return of === undefined ? name : `${name} ${of}`;
}

const anyFake = z.custom<(input: unknown) => Promise<unknown>>(
  (fake) => typeof fake === "function",
);

const inSearch = defineSearchAttributeKey("SluiceSync", SearchAttributeType.KEYWORD);

/** A workflow that hangs fails its test after this time. */
const workflowExecutionTimeout = "30 seconds";

/** The workflows of one test, whose activities are functions of the test. */
export class Faked {
  /** Every attempt at an activity, in the order in which they began, named by `nameOf`. */
  readonly calls: string[] = [];
  /** The executions that called them: more than one if a workflow continued as new. */
  readonly executions = new Set<string>();
  readonly #world: World;
  readonly #prefix: string;
  #started = 0;
  #running = 0;

  constructor(world: World, prefix: string, fakes: Partial<Activities>) {
    this.#world = world;
    this.#prefix = prefix;
    world.doneBy(prefix, async ({ name, execution }, input) => {
      this.calls.push(nameOf(name, input));
      this.executions.add(execution);
      const fake = anyFake.safeParse(Reflect.get(fakes, name)).data;
      if (fake === undefined)
        throw ApplicationFailure.nonRetryable(`no fake for ${name}`, "NoFake");
      return await fake(input);
    });
  }

  async start(
    type: string,
    input: unknown,
    memo: Readonly<Record<string, string>> = {},
  ): Promise<WorkflowHandle> {
    const workflowId = `${this.#prefix}.${(this.#started += 1)}`;
    const options = { taskQueue, workflowId, workflowExecutionTimeout, memo, args: [input] };
    const handle = await this.#world.client.workflow.start(type, options);
    this.#running += 1;
    void this.#world.untilOver(handle).then(() => (this.#running -= 1));
    return handle;
  }

  /** Runs a workflow to its end. */
  async run(type: string, input: unknown): Promise<WorkflowHandle> {
    const handle = await this.start(type, input);
    await handle.result().catch(() => undefined);
    return handle;
  }

  /** Waits until `look` finds something. @throws {Error} every workflow has ended without that. */
  async until<Found>(look: () => Promise<Found | undefined | null | false>): Promise<Found> {
    return await until(async () => {
      const areOver = this.#running === 0;
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
      if (areOver) throw new Error(`the workflow ended after ${this.calls.join(", ")}`);
      return undefined;
    });
  }

  /** Resolves once an activity of that name was begun this often. @throws {Error} every workflow has ended before. */
  async begun(call: string, times = 1): Promise<void> {
    await this.until(async () => this.calls.filter((one) => one === call).length >= times);
  }

  /** The calls whose first word is one of these. */
  callsOf(...names: readonly string[]): readonly string[] {
    return this.calls.filter((call) => names.includes(call.split(" ")[0] ?? ""));
  }
}

/** Starts a worker for the tests of a file. Returns a function that gives a test its activities. */
export function fakeWorld(): (fakes: Partial<Activities>) => Faked {
  let world: World;
  let tests = 0;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(async () => await world.close());
  return (fakes) => new Faked(world, `fake-${(tests += 1)}`, fakes);
}

/** The failure of an activity that is not retried, in the form of `toFailure`. */
export function fault(type: string, facts: FailureFacts = {}, message = type): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [facts] });
}

/** The time in which an unblocked activity begins, and in which a cancelled one is notified. */
export const graceMs = 250;

/** Holds an activity until `opened` resolves. @throws the cancellation, if its workflow cancels it first. */
export async function heldUntil<Opened>(opened: Promise<Opened>): Promise<Opened> {
  const beat = setInterval(() => heartbeat(), 20);
  try {
    return await Promise.race([cancelled(), opened]);
  } finally {
    clearInterval(beat);
  }
}

/** Holds an activity until its workflow cancels it. @throws the cancellation. */
export async function held(): Promise<never> {
  return await heldUntil(Promise.withResolvers<never>().promise);
}

/** A workflow's answer to the query `progress`. */
export async function progressOf(handle: WorkflowHandle): Promise<Progress> {
  return await handle.query<Progress>("progress");
}

/** The current details that a workflow shows in the Web UI. */
export async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const metadata = "__temporal_workflow_metadata";
  return (await handle.query<{ currentDetails: string }>(metadata)).currentDetails;
}

/** The name under which people find a workflow; undefined for none. */
export async function nameInSearchOf(handle: WorkflowHandle): Promise<string | undefined> {
  return (await handle.describe()).typedSearchAttributes.get(inSearch);
}

/** The rejection of a cancelled workflow's result. */
export const wasCancelled = { cause: { name: "CancelledFailure" } } as const;

/** An opened run with short timeouts. */
export function openedRun(runId: string, settings: Partial<RunSettings> = {}): OpenedRun {
  return {
    runId,
    storeId: "store",
    configHash: "hash",
    fence: 1,
    hostQueue,
    settings: {
      mode: "auto",
      lightweightPartsMax: 3,
      heartbeatTimeoutMs: 2_000,
      scheduleToStartMs: 10_000,
      retryInitialMs: 20,
      searchAttribute: false,
      priority: { priorityKey: 3, fairnessKey: "accounts" },
      ...settings,
    },
  };
}

/** A staged chunk of ten records. */
export function stagedChunk(changes: Partial<StageResult> = {}): StageResult {
  const counts = { read: 10, unchanged: 0, filtered: 0, rejected: 0 };
  const sizes = { jsonBytes: 1_000, gzipBytes: 100 };
  return { stage: 1, records: 10, parts: 1, ...sizes, done: false, counts, ...changes };
}

/** The activities of a run of this many chunks (in each lane) without any failure. */
export function goodRun(chunks: number, settings: Partial<RunSettings> = {}): Partial<Activities> {
  return {
    openRun: async ({ runId }) => openedRun(runId, settings),
    chooseHost: async () => ({ hostQueue }),
    stageChunk: async ({ chunk }) => stagedChunk({ done: laneOf(chunk).ordinal === chunks }),
    uploadJson: async () => ({ fileKey: null }),
    uploadFile: async ({ chunk }) => ({ fileKey: `key-${chunk}` }),
    confirmUpload: async () => ({}),
    splitChunk: async () => ({ parts: [] }),
    commitChunk: async () => ({ isLockWanted: false, rejects: [] }),
    dropChunk: async () => ({}),
    closeRun: async ({ runId, outcome, failure }) =>
      reportWith({ run_id: runId, outcome, ...(failure === undefined ? {} : { error: failure }) }),
  };
}

/** The activities of a backfill without any failure. */
export function goodBackfill(
  {
    lanes = 1,
    chunks = 1,
    isApproved = true,
  }: {
    readonly lanes?: number;
    /** Chunks of each lane. */
    readonly chunks?: number;
    /** Whether it begins without a person's approval. */
    readonly isApproved?: boolean;
  },
  settings: Partial<RunSettings> = {},
): Partial<Activities> & Pick<Activities, "openBackfill" | "planBackfill"> {
  const plan = { ...examplePlan, lanes: Array<number>(lanes).fill(10 * chunks) };
  return {
    ...goodRun(chunks, settings),
    planBackfill: async () => ({ plan, isApproved, approval: "it is large" }),
    openBackfill: async ({ runId }) => {
      return { ...openedRun(runId, settings), lanes, plan, advanceCheckpoint: false };
    },
    yieldBackfill: async () => ({}),
    advanceCheckpoint: async () => ({}),
  };
}
