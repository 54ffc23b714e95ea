/** Syncs with something in doubt that are looked at. */
export const doubtfulSyncsMax = 1_000;

/** How long `sluice worker` gives what runs to end when it is told to stop. */
export const workerGraceMs = 30_000;

/** The same at Ctrl-C, and of a worker that a command starts for itself: somebody waits for the prompt. */
export const commandGraceMs = 1_500;

/** How often `sluice dev` looks whether its files have changed. */
export const changeLookMs = 1_000;

/** How long `run` waits until `sluice dev` has taken a changed configuration up. */
export const workerTakesUpMsMax = 20_000;

/** How long `run` waits for a worker to poll its queue. */
export const workerWaitMs = 30_000;

/** Port of the sandbox unless it is taken. */
export const sandboxPortDefault = 8089;

/** How long a command whose own worker stops with it lets the notification of its run leave. */
export const notifyWaitMsMax = 10_000;

/** How long a command waits for one source: which columns it has, who it is, what `check` asks. In ms. */
export const sourceMsMax = 60_000;

/**
 * How long `status` waits for a connection to Temporal: less than for its answer, so that there is time left
 * to look why there is none.
 */
export const statusConnectMsMax = 2_000;

/** Next times that are shown of a schedule. */
export const scheduleTimesShown = 5;

/** Characters of the note that a paused schedule keeps. */
export const scheduleNoteCharsMax = 500;

/** Tables or files that `discover` shows when it is not told how many. */
export const discoveriesDefault = 50;

/** Tables that `init` looks through for the one it is told. */
export const tablesLookedThroughMax = 10_000;

/** Port of the pages of `sluice ui` unless it is told another. */
export const uiPortDefault = 8091;

/** Port of the receiver unless it is told another. */
export const webhooksPortDefault = 8090;

/** Deadline of a delivery of `webhooks send`, from connect to the last byte of its answer. */
export const sendDeadlineMs = 30_000;

/** Largest answer to a delivery of `webhooks send`. */
export const sendAnswerBytesMax = 64 * 1024;

/** How long `status` waits for Temporal to say what a run waits for. */
export const statusTemporalMsMax = 3_000;
