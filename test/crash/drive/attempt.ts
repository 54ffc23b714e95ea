import { asyncLocalStorage, Context, type Info } from "@temporalio/activity";
import { noopMetricMeter } from "@temporalio/common";

const hour = 3_600_000;

const names = { activityId: "1", activityNamespace: "default", namespace: "default" };

/** The context of every attempt here; nothing times out. */
const infoBefore = {
  ...names,
  taskToken: new Uint8Array(),
  base64TaskToken: "",
  taskQueue: "sluice",
  isLocal: false,
  inWorkflow: true,
  scheduleToCloseTimeoutMs: 12 * hour,
  startToCloseTimeoutMs: hour,
} satisfies Partial<Info>;

const silently = (): void => undefined;

const log = {
  log: silently,
  trace: silently,
  debug: silently,
  info: silently,
  warn: silently,
  error: silently,
};

/** One attempt: its number, and the details of the previous attempt's last heartbeat. */
export type AttemptInfo = Pick<Info, "activityType" | "attempt"> & {
  readonly heartbeatDetails: unknown;
  readonly heartbeat: (details: unknown) => void;
};

/**
 * Runs one attempt of an activity in Temporal's own context. Its `MockActivityEnvironment` would do the same, but
 * loading it takes half the life of a process that is soon killed.
 */
export async function runAttempt<Result>(
  { heartbeat, ...told }: AttemptInfo,
  work: () => Promise<Result>,
): Promise<Result> {
  const nowMs = Date.now();
  const times = { scheduledTimestampMs: nowMs, currentAttemptScheduledTimestampMs: nowMs };
  const info: Info = { ...infoBefore, ...times, ...told };
  const { signal } = new AbortController();
  const never = new Promise<never>(silently);
  const context = new Context(info, never, signal, heartbeat, undefined, log, noopMetricMeter, {});
  return await asyncLocalStorage.run(context, work);
}
