/** How many syncs with something in doubt are looked at. */
export const doubtfulSyncsMax = 1_000;

/** How long work may continue after `sluice worker` was asked to stop. */
export const workerGraceMs = 30_000;

/** The same at Ctrl-C, and for a worker that a command starts for itself: somebody waits for the prompt. */
export const commandGraceMs = 1_500;

/** How often `sluice dev` checks whether its files have changed. */
export const changeLookMs = 1_000;

/** How long `run` waits for `sluice dev` to take up a changed configuration. */
export const workerTakesUpMsMax = 20_000;

/** How long `run` waits for a worker to poll its queue. */
export const workerWaitMs = 30_000;

/** Port of the sandbox unless it is taken. */
export const sandboxPortDefault = 8089;

/** How long a command whose own worker stops with it waits for the notification of its run to leave. */
export const notifyWaitMsMax = 10_000;

/** How long a command waits for one source, in ms: for its columns, its identity, or the answers that `check` needs. */
export const sourceMsMax = 60_000;

/**
 * How long `status` waits for a connection to Temporal: less than for its answer, so that there is time left to find
 * out why there is none.
 */
export const statusConnectMsMax = 2_000;

/** How many of the next times of a schedule are shown. */
export const scheduleTimesShown = 5;

/** Characters of the note that a paused schedule keeps. */
export const scheduleNoteCharsMax = 500;

/** How many tables or files `discover` shows by default. */
export const discoveriesDefault = 50;

/** How many tables `init` searches for the one that was named. */
export const tablesLookedThroughMax = 10_000;

/** Default port of the pages of `sluice ui`. */
export const uiPortDefault = 8091;

/** Default port of the receiver. */
export const webhooksPortDefault = 8090;

/** Deadline of a delivery of `webhooks send`, from connect to the last byte of its answer. */
export const sendDeadlineMs = 30_000;

/** Largest answer to a delivery of `webhooks send`. */
export const sendAnswerBytesMax = 64 * 1024;

/** How long `status` waits for Temporal to say what a run waits for. */
export const statusTemporalMsMax = 3_000;

/** How long a command waits for a source that asks to be left alone, in ms, before it says when to try again. */
export const sourceWaitMsMax = 60_000;
