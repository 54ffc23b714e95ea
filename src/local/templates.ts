import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from "@temporalio/client";

import type { backfill } from "../../workflows/backfill/backfill.ts";
import type { Template } from "../backfill/template.ts";
import { inTime } from "../clock.ts";
import { messageOf } from "../errors.ts";
import { eachAtOnce } from "../schedules/each-at-once.ts";
import { isOpen } from "./connect.ts";

/**
 * How long seeding may delay a starting worker's "ready" (our choice): enough for the few templates of a small
 * project, whose ids are free by then. Those of a large project follow while the worker runs.
 */
const waitMsMax = 1_000;

/** How long one template may take (our choice). */
const seedMsMax = 10_000;

/** Templates that are seeded at once (our choice): leaves room for a run that begins meanwhile. */
const atOnceMax = 8;

/** How long started templates may delay a stopping worker (our choice), which is what finishes them. */
const closeMsMax = 1_000;

/**
 * How long after a backfill its template is seeded again (our choice): whoever starts the next one at once finds
 * the id free.
 */
const seedAgainMs = 5_000;

/** What keeping templates needs. */
export type Seeding = {
  readonly client: Client;
  readonly taskQueue: string;
  readonly templates: readonly Template[];
  readonly log: { warn(facts: object, text: string): void };
};

/** The templates of a project, kept where the start form looks for them. */
export type KeptTemplates = {
  /**
   * Seeds every template whose id does not have one as its newest run. Resolves once they have finished, so that their
   * ids are free, or after `waitMsMax`: the others follow. For a worker that polls, because it finishes them. Failures
   * are logged, because an empty form keeps nobody from working. Never throws.
   */
  seed(): Promise<void>;
  /** Seeds the template of this id a while after its workflow closed; ignores an id without one. Never throws. */
  seedAgain(workflowId: string): void;
  /**
   * Starts no more, and resolves once the started ones have finished, or are abandoned after `closeMsMax`: the
   * next worker finishes them. Never throws.
   */
  close(): Promise<void>;
};

/** Whether a workflow is a template rather than a backfill. */
export function isTemplate({ memo }: Pick<WorkflowExecutionDescription, "memo">): boolean {
  return memo?.["sluice_template"] === true;
}

/** Whether an id needs a template, because its newest run is not one; a run under way is left alone. */
async function isWanted(client: Client, workflowId: string): Promise<boolean> {
  try {
    const newest = await client.workflow.getHandle(workflowId).describe();
    return !isOpen(newest) && !isTemplate(newest);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

async function seed(
  { client, taskQueue }: Pick<Seeding, "client" | "taskQueue">,
  { workflowId, input }: Template,
): Promise<void> {
  if (!(await isWanted(client, workflowId))) return;
  try {
    const handle = await client.workflow.start<typeof backfill>("backfill", {
      taskQueue,
      workflowId,
      args: [input],
      memo: { sluice_template: true },
    });
    await handle.result();
  } catch (error) {
    // Somebody else was quicker, with a template or with a backfill.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Keeps templates from now on; seeds none by itself. */
export function keepTemplates({ client, taskQueue, templates, log }: Seeding): KeptTemplates {
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();
  let closed: Promise<unknown> | undefined;
  const seedOne = async (one: Template): Promise<void> => {
    if (closed !== undefined) return;
    const work = async (): Promise<void> => await seed({ client, taskQueue }, one);
    await client.withDeadline(Date.now() + seedMsMax, work);
  };
  const seedThem = async (wanted: readonly Template[]): Promise<void> => {
    try {
      await eachAtOnce(wanted, atOnceMax, seedOne);
    } catch (error) {
      // The next worker seeds those that a stopping worker abandoned.
      if (closed !== undefined) return;
      const text = "the start form of the Web UI has no example of a backfill";
      log.warn({ why: messageOf(error) }, text);
    }
  };
  const begin = (wanted: readonly Template[]): void => {
    const creating = seedThem(wanted).finally(() => underWay.delete(creating));
    underWay.add(creating);
  };
  return {
    seed: async () => {
      begin(templates);
      await inTime(Promise.all(underWay), waitMsMax);
    },
    seedAgain: (workflowId) => {
      const wanted = templates.filter((one) => one.workflowId === workflowId);
      if (wanted.length === 0 || closed !== undefined) return;
      clearTimeout(timers.get(workflowId));
      const timer = setTimeout(() => {
        timers.delete(workflowId);
        begin(wanted);
      }, seedAgainMs);
      timers.set(workflowId, timer.unref());
    },
    close: async () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      closed ??= inTime(Promise.all(underWay), closeMsMax);
      await closed;
    },
  };
}
