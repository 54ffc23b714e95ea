/**
 * The most that a scheduled run starts late, so that not all of a night's runs start at once; shorter than the
 * minute of a cron.
 */
export const scheduleJitterMs = 30_000;

/** Weeks that are searched for changes of the clocks. */
export const clockChangesWeeksMax = 53;

/** More than any change of the clocks. */
export const clockChangeMsMax = 3 * 3_600_000;

/** Missed runs that a report names; the others are only counted. */
export const missedRunsNamedMax = 10;

/** How often the check looks for events whose wake-up was lost, and for data that may be deleted. */
export const inboxCheckEveryMs = 60_000;

/**
 * A wanted run counts as missed if it has not begun this long after its time; more than the jitter and a slow
 * start together.
 */
export const missedAfterMs = 5 * 60_000;

/** Missed runs that are counted. */
export const missedRunsCountedMax = 1_000;

/** How long a run that missed others waits for Temporal to say why. */
export const scheduleStateMsMax = 5_000;

/** How long `schedule trigger` waits for Temporal to start the run. */
export const triggerMsMax = 10_000;

/** More schedules than this are read from Temporal's list: describing each costs its server 5 to 25 ms. */
export const schedulesDescribedMax = 20;

/** Schedules that are described at once. */
export const schedulesAskedAtOnce = 10;

/** How long `schedule pause` and `resume` wait until Temporal's list shows the change, too. */
export const scheduleListedMsMax = 3_000;
