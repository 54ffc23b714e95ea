/** Each activity in words for a person: for `status`, and for whatever follows a run. */
export const activityPhrases = {
  openRun: "opening the run",
  chooseHost: "looking for a worker",
  stageChunk: "reading",
  stagedChunk: "looking up what was staged",
  weighRun: "checking the guardrails",
  approveHold: "noting the approval",
  splitChunk: "looking for what the service refuses",
  uploadJson: "sending",
  uploadFile: "sending",
  confirmUpload: "confirming what was sent",
  commitChunk: "committing",
  dropChunk: "removing staged files",
  closeRun: "closing the run",
  lookForDoubts: "looking for what is in doubt",
  lookIntoInbox: "looking into the inbox",
  checkInboxes: "checking the inboxes",
  planBackfill: "planning",
  openBackfill: "taking the send lock",
  yieldBackfill: "giving the send lock back",
  advanceCheckpoint: "advancing the checkpoint",
  openPull: "opening the pull",
  listDomains: "reading domains",
  pullPages: "asking for results",
  verifySync: "verifying",
  verifyReceivers: "looking for whom to notify",
  tellVerified: "notifying",
  postNotification: "notifying",
  recordUndelivered: "noting what was not delivered",
} as const satisfies Readonly<Record<string, string>>;

/** The name of an activity. */
export type ActivityName = keyof typeof activityPhrases;
