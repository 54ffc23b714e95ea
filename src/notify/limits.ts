/** Deadline of one notification, from connecting to the status of the answer. */
export const notifyDeadlineMs = 10_000;

/** Longest `Retry-After` that is waited for: all tries of a notification fit in the day that it has. */
export const notifyRetryAfterMsMax = 3_600_000;

/** Bytes read of the answer to a notification; only its status counts. */
export const notifyAnswerBytesMax = 16 * 1024;

/** Characters of a notification's text for Slack. */
export const slackTextCharsMax = 4_000;
