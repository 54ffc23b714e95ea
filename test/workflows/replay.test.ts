import { readdirSync, readFileSync } from "node:fs";

import { Worker, type WorkflowBundlePath } from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { installQuietRuntime } from "../support/temporal/quiet-runtime.ts";
import { workflowBundle } from "../support/temporal/workflow-bundle.ts";

const folder = new URL("../replay/", import.meta.url);

const historySchema = z.looseObject({
  events: z.array(
    z.looseObject({
      eventType: z.string(),
      activityTaskScheduledEventAttributes: z
        .looseObject({ activityId: z.string(), activityType: z.looseObject({ name: z.string() }) })
        .optional(),
    }),
  ),
});

type History = z.output<typeof historySchema>;

const histories = readdirSync(folder).filter((name) => name.endsWith(".json"));

function read(name: string): History {
  return historySchema.parse(JSON.parse(readFileSync(new URL(name, folder), "utf8")));
}

/** Numbers events from 1, as the server does; the last workflow task refers to its own events. */
function numbered(events: History["events"]): History["events"] {
  const last = events.findLastIndex(({ eventType }) => eventType.endsWith("TASK_SCHEDULED"));
  const [scheduledEventId, startedEventId] = [String(last + 1), String(last + 2)];
  return events.map((event, index) => ({
    ...event,
    eventId: String(index + 1),
    ...(index === last + 1 ? { workflowTaskStartedEventAttributes: { scheduledEventId } } : {}),
    ...(index === last + 2
      ? { workflowTaskCompletedEventAttributes: { scheduledEventId, startedEventId } }
      : {}),
  }));
}

/**
 * A history that continued as new, as it would have been if the server had taken a cancel just before: puts the cancel
 * before the last workflow task, after which the workflow issues `command`.
 */
function cancelledBeforeNext({ events }: History, command: History["events"][number]): History {
  const task = events.findLastIndex(({ eventType }) => eventType.endsWith("TASK_SCHEDULED"));
  const eventType = "EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED";
  const cancel = { eventType, workflowExecutionCancelRequestedEventAttributes: {} };
  const before = events.slice(0, task);
  return { events: [...numbered([...before, cancel, ...events.slice(task, -1)]), command] };
}

describe("recorded histories", () => {
  let bundle: WorkflowBundlePath;
  beforeAll(async () => {
    installQuietRuntime();
    bundle = await workflowBundle();
  });
  const replay = async (history: unknown): Promise<void> => {
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, "sync-recorded");
  };

  it("are there", () => {
    expect(histories.length).toBeGreaterThanOrEqual(3);
  });

  it.each(histories)("replay with today's workflows: %s", async (name) => {
    await expect(replay(read(name))).resolves.toBeUndefined();
  });

  it("close the run when a cancel comes in the instant before they continue as new", async () => {
    const history = read("continued-2.json");
    const ids = history.events.flatMap(
      ({ activityTaskScheduledEventAttributes: attributes }) => attributes?.activityId ?? [],
    );
    const closing = read("continued.json").events.find(
      ({ activityTaskScheduledEventAttributes: attributes }) =>
        attributes?.activityType.name === "closeRun",
    );
    if (closing?.activityTaskScheduledEventAttributes === undefined)
      throw new Error("the fixture closes no run");
    closing.activityTaskScheduledEventAttributes.activityId = String(ids.length + 1);
    const eventId = String(history.events.length + 1);
    const crafted = cancelledBeforeNext(history, { ...closing, eventId });
    await expect(replay(crafted)).resolves.toBeUndefined();
  });

  it("tell when the order of activities has changed", async () => {
    const history = read("heavyweight.json");
    const scheduled = history.events.flatMap(
      ({ activityTaskScheduledEventAttributes: attributes }) =>
        attributes === undefined ? [] : [attributes.activityType],
    );
    const upload = scheduled.find(({ name }) => name === "uploadFile");
    const confirm = scheduled.find(({ name }) => name === "confirmUpload");
    if (upload === undefined || confirm === undefined)
      throw new Error("the fixture holds no upload");
    [upload.name, confirm.name] = [confirm.name, upload.name];
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
