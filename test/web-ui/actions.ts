import { randomUUID } from "node:crypto";

import type { Client, WorkflowHandle } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";

import { taskQueue } from "../support/temporal/world.ts";

/** A run on which an action is performed. */
export type Acted = {
  readonly client: Client;
  readonly workflowId: string;
  readonly type: string;
  /** Its first execution. */
  readonly firstRunId: string;
};

/** The result of an action. */
export type Acting = {
  /** Why Temporal or the workflow refused it, at once. */
  readonly refused?: string | undefined;
  /** Another workflow that it started. */
  readonly started?: string | undefined;
  /** The history has no such event. */
  readonly isImpossible?: true;
  /** Whether it is paused until it is resumed. */
  readonly isPaused?: boolean;
  /** Whether the action ended the execution in which the run was held. */
  readonly ends: boolean;
};

/** An action that the Web UI offers. */
export type Action = {
  readonly name: string;
  /** The activity to which a reset goes back. */
  readonly step?: string;
  /** Whether it is performed on the previous execution. */
  readonly isOfBefore?: true;
  readonly act: (acted: Acted) => Promise<Acting>;
};

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle["fetchHistory"]>>["events"]>[number];

async function eventsOf({ client, workflowId }: Acted, runId?: string): Promise<readonly Event[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return events ?? [];
}

async function newestRunId({ client, workflowId }: Acted): Promise<string> {
  return (await client.workflow.getHandle(workflowId).describe()).runId;
}

async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  return await work.then(
    () => undefined,
    (error: unknown) =>
      error instanceof Error
        ? error.cause instanceof Error
          ? error.cause.message
          : error.message
        : String(error),
  );
}

/** The event to reset to: a completed workflow task, found by what it scheduled. */
type Point = (events: readonly Event[]) => Event | undefined;

function isTask(event: Event): boolean {
  return (event.workflowTaskCompletedEventAttributes ?? undefined) !== undefined;
}

const first: Point = (events) => events.find(isTask);
const last: Point = (events) => events.findLast(isTask);

/** The task that scheduled the newest activity of this name. */
function asksFor(activity: string): Point {
  return (events) => {
    const asked = events.findLast(
      ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === activity,
    );
    const number = asked?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId;
    return events.find(({ eventId }) => String(eventId) === String(number));
  };
}

/** An event to which no run can be reset. */
const unfit: Point = (events) => events.at(0);

async function resetTo(acted: Acted, point: Point, of: "first" | "newest"): Promise<Acting> {
  const { client, workflowId } = acted;
  const runId = of === "first" ? acted.firstRunId : await newestRunId(acted);
  const event = point(await eventsOf(acted, runId));
  if (event === undefined) return { isImpossible: true, ends: false };
  const refused = await refusalOf(
    client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
      reason: "tried",
      workflowTaskFinishEventId: event.eventId ?? null,
      requestId: randomUUID(),
    }),
  );
  return { refused, ends: refused === undefined };
}

/** Starts what the Web UI prefills its form with: the type and the input of an execution. */
async function startLike(acted: Acted, workflowId: string): Promise<Acting> {
  const { client, type } = acted;
  const [begun] = await eventsOf(acted, await newestRunId(acted));
  const payloads = begun?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const args = payloads.map((payload): unknown => defaultPayloadConverter.fromPayload(payload));
  const refused = await refusalOf(
    client.workflow.start<(input: unknown) => Promise<unknown>>(type, {
      taskQueue,
      workflowId,
      args: [args[0]],
    }),
  );
  return { refused, started: refused === undefined ? workflowId : undefined, ends: false };
}

async function signal({ client, workflowId }: Acted, name: string): Promise<Acting> {
  const refused = await refusalOf(
    client.workflow.getHandle(workflowId).signal(name, { any: "thing" }),
  );
  return { refused, ends: false };
}

async function update(
  { client, workflowId }: Acted,
  name: string,
  input: unknown,
): Promise<Acting> {
  const refused = await refusalOf(
    client.workflow.getHandle(workflowId).executeUpdate(name, { args: [input] }),
  );
  return { refused, ends: false, isPaused: name === "pause" && refused === undefined };
}

/** The actions that the Web UI offers for a run of any kind. */
export function actionsOf(kind: {
  readonly steps: readonly string[];
  readonly signals: readonly string[];
  readonly updates: Readonly<Record<string, unknown>>;
}): readonly Action[] {
  return [
    {
      name: "Cancel",
      act: async ({ client, workflowId }) => {
        const refused = await refusalOf(client.workflow.getHandle(workflowId).cancel());
        return { refused, ends: refused === undefined };
      },
    },
    {
      name: "Terminate",
      act: async ({ client, workflowId }) => {
        const refused = await refusalOf(client.workflow.getHandle(workflowId).terminate("tried"));
        return { refused, ends: refused === undefined };
      },
    },
    { name: "Reset to the first task", act: async (run) => await resetTo(run, first, "newest") },
    { name: "Reset to the last task", act: async (run) => await resetTo(run, last, "newest") },
    ...kind.steps.slice(1).map((step) => ({
      name: `Reset to where ${step} is asked for`,
      step,
      act: async (run: Acted) => await resetTo(run, asksFor(step), "newest"),
    })),
    { name: "Reset to another event", act: async (run) => await resetTo(run, unfit, "newest") },
    {
      name: "Reset the execution before, to its first task",
      isOfBefore: true,
      act: async (run: Acted) => await resetTo(run, first, "first"),
    },
    {
      name: "Reset the execution before, to its last task",
      isOfBefore: true,
      act: async (run: Acted) => await resetTo(run, last, "first"),
    },
    {
      name: "Start Workflow Like This One, same id",
      act: async (run) => await startLike(run, run.workflowId),
    },
    {
      name: "Start Workflow Like This One, another id",
      act: async (run) => await startLike(run, `${run.workflowId}.like`),
    },
    ...[...kind.signals, "hello"].map((name) => ({
      name: `Signal ${name}`,
      act: async (run: Acted) => await signal(run, name),
    })),
    ...Object.entries({ ...kind.updates, hello: undefined }).map(([name, input]) => ({
      name: `Update ${name}`,
      act: async (run: Acted) => await update(run, name, input),
    })),
  ];
}
