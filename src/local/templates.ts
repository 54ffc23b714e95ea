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

/**
 * How long seeding may keep a worker that starts from saying so (our choice): enough for the few of a small project,
 * whose ids are free then. Those of a large one follow while it works.
 */
const waitMsMax = 1_000;

/** How long one template may take (our choice). */
const seedMsMax = 10_000;

/** Templates that are seeded at once (our choice): a run that begins meanwhile finds room beside them. */
const atOnceMax = 8;

/** How long templates that were begun may keep a worker that stops (our choice): it is what finishes them. */
const closeMsMax = 1_000;

/**
 * How long after a backfill its template is seeded again (our choice): who starts the next at once finds the
 * id free.
 */
const seedAgainMs = 5_000;

/** What templates are kept with. */
export type Seeding = {
  readonly client: Client;
  readonly taskQueue: string;
  readonly templates: readonly Template[];
  readonly log: { warn(facts: object, text: string): void };
};

/** The templates of a project, kept where the start form looks for them. */
export type KeptTemplates = {
  /**
   * Seeds every template whose id has none as its newest run. Resolves once they have finished, so that their ids are
   * free, or after `waitMsMax`: the others follow. For a worker that polls: it is what finishes them. What fails is
   * logged, because a form that is empty keeps nobody from working. Never throws.
   */
  seed(): Promise<void>;
  /** Seeds the one of this id a while after its workflow closed; nothing for an id without a template. Never throws. */
  seedAgain(workflowId: string): void;
  /**
   * Begins no more, and resolves once those that were begun have finished, or were given up after `closeMsMax`: the
   * next worker finishes them. Never throws.
   */
  close(): Promise<void>;
};

/** Whether a workflow is a template, and no backfill. */
export function isTemplate({ memo }: Pick<WorkflowExecutionDescription, "memo">): boolean {
  return memo?.["sluice_template"] === true;
}

/** Whether the newest run of an id is none that the form should be prefilled from; one under way is left alone. */
async function isWanted(client: Client, workflowId: string): Promise<boolean> {
  try {
    const newest = await client.workflow.getHandle(workflowId).describe();
    return newest.status.name !== "RUNNING" && !isTemplate(newest);
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
    // Somebody was quicker, with a template or with a backfill.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Keeps templates from now on; it seeds none by itself. */
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
      // Those that a worker gave up when it stopped are the next one's.
      if (closed !== undefined) return;
      const text = "the start form of the Web UI has no example of a backfill";
      log.warn({ why: messageOf(error) }, text);
    }
  };
  const begin = (wanted: readonly Template[]): void => {
    const seeding = seedThem(wanted).finally(() => underWay.delete(seeding));
    underWay.add(seeding);
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
