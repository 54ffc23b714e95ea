/** Deadline of one notification, from connect to the status of its answer. */
export const notifyDeadlineMs = 10_000;

/** Bytes of an answer to a notification that are taken from the wire; only its status counts. */
export const notifyAnswerBytesMax = 16 * 1024;

/** Characters of a notification's text for Slack. */
export const slackTextCharsMax = 4_000;
