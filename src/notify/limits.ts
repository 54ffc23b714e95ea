/** Deadline of one notification, from connecting to the status of the answer. */
export const notifyDeadlineMs = 10_000;

/** Bytes read of the answer to a notification; only its status counts. */
export const notifyAnswerBytesMax = 16 * 1024;

/** Characters of a notification's text for Slack. */
export const slackTextCharsMax = 4_000;
