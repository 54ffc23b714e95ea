import {
  ActivityCancellationType,
  proxyActivities,
  type ActivityInterfaceFor,
  type ActivityOptions,
} from "@temporalio/workflow";

import type { HostActivities, SharedActivities } from "../activities/index.ts";
import type { OpenedRun } from "../activities/inputs.ts";
import type { PullSettings } from "../activities/pull/inputs.ts";
import { notifyTriesMax } from "../src/limits.ts";

/** Every proxy waits until a cancelled activity has ended: otherwise cleanup would run while a PUT is on its way. */
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/** For the store and the checks of opening: short, and retried for ever, because whatever is away comes back. */
const metaOptions = {
  cancellationType,
  startToCloseTimeout: "1 minute",
  heartbeatTimeout: "10 seconds",
} as const;

/** Opening and closing a run; before `openRun` nothing is known of its settings. */
export const { openRun, openPull, closeRun } = proxyActivities<SharedActivities>({
  ...metaOptions,
  retry: { initialInterval: "1 second", backoffCoefficient: 2, maximumInterval: "100 seconds" },
});

/** Planning may count many rows. */
export const { planBackfill, openBackfill } = proxyActivities<SharedActivities>({
  ...metaOptions,
  startToCloseTimeout: "30 minutes",
  retry: { initialInterval: "1 second", maximumInterval: "100 seconds" },
});

/** A backfill's activities besides its lanes: they yield the lock to others, and hand over to the nightly run. */
export const { advanceCheckpoint, yieldBackfill } = proxyActivities<SharedActivities>({
  ...metaOptions,
  retry: { initialInterval: "1 second", maximumInterval: "30 seconds" },
});

/** Inboxes and doubts. A look waits as long as it lingers; a check takes a bounded share of what may be removed. */
export const { lookForDoubts, lookIntoInbox, checkInboxes } = proxyActivities<SharedActivities>({
  ...metaOptions,
  startToCloseTimeout: "5 minutes",
  retry: { initialInterval: "1 second", maximumInterval: "30 seconds" },
});

/** The notifications of a run, which outlast it; the run's settings are not known here. */
export const { postNotification, tellVerified, verifyReceivers } =
  proxyActivities<SharedActivities>({
    cancellationType,
    startToCloseTimeout: "30 seconds",
    heartbeatTimeout: "10 seconds",
    // Counted in tries, because a worker that is away must not use up the time. A day later nobody needs to hear of a
    // night.
    scheduleToCloseTimeout: "1 day",
    retry: {
      initialInterval: "1 second",
      maximumInterval: "5 minutes",
      maximumAttempts: notifyTriesMax,
    },
  });

/** A verification costs a call for each record, so it is made once: the calls of a worker that died are paid for. */
export const { verifySync } = proxyActivities<SharedActivities>({
  cancellationType,
  startToCloseTimeout: "6 hours",
  heartbeatTimeout: "1 minute",
  retry: { maximumAttempts: 1 },
});

/** For a receiver that could not be notified. */
export const { recordUndelivered } = proxyActivities<SharedActivities>({
  ...metaOptions,
  retry: { maximumInterval: "100 seconds" },
});

type Activities = SharedActivities & HostActivities;

/** The options that the run's settings ask for: workflow code has no environment, and tests need short timeouts. */
function optionsOf({ hostQueue, settings }: OpenedRun) {
  const { priority, retryInitialMs: initialInterval } = settings;
  const maximum = (ms: number): number => Math.max(initialInterval, settings.retryMaxMs ?? ms);
  const heartbeatTimeout = settings.heartbeatTimeoutMs;
  const store = {
    ...metaOptions,
    priority,
    retry: { initialInterval, maximumInterval: maximum(100_000) },
  };
  const onHost = {
    cancellationType,
    priority,
    taskQueue: hostQueue,
    scheduleToStartTimeout: settings.scheduleToStartMs,
    heartbeatTimeout,
    retry: { initialInterval, maximumInterval: maximum(600_000) },
  };
  // A chunk ends after 5 minutes and a PUT has its own deadline: six hours only stop work that hangs while its heart
  // beats. Work that has not got through in a night ends the run, which keeps its checkpoint and releases its lock.
  const long = {
    ...onHost,
    startToCloseTimeout: "6 hours",
    scheduleToCloseTimeout: "12 hours",
  } as const;
  return {
    approveHold: store,
    chooseHost: store,
    commitChunk: store,
    confirmUpload: {
      cancellationType,
      priority,
      startToCloseTimeout: "2 minutes",
      heartbeatTimeout: Math.min(heartbeatTimeout, 10_000),
      // No maximumAttempts: a short outage must not fail a night. Twelve hours is a night.
      scheduleToCloseTimeout: "12 hours",
      retry: { initialInterval: initialInterval * 2, maximumInterval: maximum(120_000) },
    },
    stageChunk: long,
    stagedChunk: store,
    uploadJson: long,
    uploadFile: long,
    weighRun: store,
    splitChunk: { ...onHost, startToCloseTimeout: "1 hour" },
    dropChunk: {
      ...onHost,
      startToCloseTimeout: "1 minute",
      scheduleToCloseTimeout: "1 minute",
      // A later clean-up removes the rest: cleaning up must never hold up a run.
      retry: { maximumAttempts: 3 },
    },
  } satisfies Partial<Record<keyof Activities, ActivityOptions>>;
}

/** The activities of one opened run. */
export type RunActivities = Pick<
  ActivityInterfaceFor<Activities>,
  keyof ReturnType<typeof optionsOf>
>;

/** Proxies of the activities, with the timeouts that the run's settings ask for. */
export function activitiesOf(opened: OpenedRun): RunActivities;
export function activitiesOf(opened: OpenedRun): object {
  // An overload: a loop cannot show the compiler that each name has its own activity.
  const proxies = Object.entries(optionsOf(opened)).map(
    ([name, options]) => [name, proxyActivities(options)[name]] as const,
  );
  return Object.fromEntries(proxies);
}

/** The activities of an opened run of a pull: on the shared queue, because the pages are in the store. */
export function pullActivitiesOf(
  settings: PullSettings,
): Pick<ActivityInterfaceFor<SharedActivities>, "listDomains" | "pullPages"> {
  const { heartbeatTimeoutMs, retryInitialMs: initialInterval, retryMaxMs = 120_000 } = settings;
  return proxyActivities<SharedActivities>({
    cancellationType,
    heartbeatTimeout: heartbeatTimeoutMs,
    // A request has its deadline and a statement its timeout: an hour only stops work that hangs while its heart beats.
    // No maximumAttempts: a short outage of the service or the source must not fail a night. Twelve hours is a night.
    startToCloseTimeout: "1 hour",
    scheduleToCloseTimeout: "12 hours",
    retry: { initialInterval, maximumInterval: Math.max(initialInterval, retryMaxMs) },
  });
}
