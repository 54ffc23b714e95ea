import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from "@temporalio/client";

import type { backfill } from "../../workflows/backfill/backfill.ts";
import type { Template } from "../backfill/template.ts";
import { messageOf } from "../errors.ts";

/** How long seeding may keep a worker that starts from saying so (our choice). */
const seedMsMax = 10_000;

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

/** Templates that are seeded again after each backfill. */
export type KeptTemplates = {
  /** Seeds the one of this id a while after its workflow closed; nothing for an id without a template. Never throws. */
  seedAgain(workflowId: string): void;
  /** Gives up those that were to be seeded. */
  close(): void;
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

/**
 * Seeds every template whose id has none as its newest run, and returns once they have finished, so that
 * their ids are free. For a worker that has started: it is what finishes them. What fails is logged, because
 * a form that is empty keeps nobody from working.
 */
export async function seedTemplates(seeding: Seeding): Promise<void> {
  const { client, templates, log } = seeding;
  if (templates.length === 0) return;
  try {
    await client.withDeadline(
      Date.now() + seedMsMax,
      async () => await Promise.all(templates.map(async (one) => await seed(seeding, one))),
    );
  } catch (error) {
    const text = "the start form of the Web UI has no example of a backfill";
    log.warn({ why: messageOf(error) }, text);
  }
}

/** Keeps templates from now on; it seeds none by itself. */
export function keepTemplates(seeding: Seeding): KeptTemplates {
  const timers = new Map<string, NodeJS.Timeout>();
  return {
    seedAgain: (workflowId) => {
      const templates = seeding.templates.filter((one) => one.workflowId === workflowId);
      if (templates.length === 0) return;
      clearTimeout(timers.get(workflowId));
      const timer = setTimeout(() => {
        timers.delete(workflowId);
        void seedTemplates({ ...seeding, templates });
      }, seedAgainMs);
      timers.set(workflowId, timer.unref());
    },
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
