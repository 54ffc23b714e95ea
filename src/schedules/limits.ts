/**
 * By so much at most a scheduled run starts late, so that not all of a night's runs start at once; below a
 * cron's minute.
 */
export const scheduleJitterMs = 30_000;

/** Weeks that are looked through for changes of the clocks. */
export const clockChangesWeeksMax = 53;

/** More than any change of the clocks. */
export const clockChangeMsMax = 3 * 3_600_000;

/** Missed runs that a report names; the rest is counted. */
export const missedRunsNamedMax = 10;

/** How often somebody looks for events whose wake-up was lost, and for what may go. */
export const inboxCheckEveryMs = 60_000;

/**
 * A wanted run counts as missed when it has not begun so long after its time; more than the jitter and a slow
 * start.
 */
export const missedAfterMs = 5 * 60_000;

/** Missed runs that are counted. */
export const missedRunsCountedMax = 1_000;

/** How long a run that missed others waits for Temporal to say why. */
export const scheduleStateMsMax = 5_000;

/** How long `schedule trigger` waits for Temporal to start the run. */
export const triggerMsMax = 10_000;

/** More schedules than these are read from Temporal's list: asking for each costs its server 5 to 25 ms. */
export const schedulesDescribedMax = 20;

/** Schedules that are asked for at once. */
export const schedulesAskedAtOnce = 10;

/** How long `schedule pause` and `resume` wait until Temporal's list has the change, too. */
export const scheduleListedMsMax = 3_000;
