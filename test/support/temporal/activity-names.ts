import type { HostActivities, SharedActivities } from "../../../activities/index.ts";

const names: Readonly<Record<keyof (HostActivities & SharedActivities), true>> = {
  advanceCheckpoint: true,
  verifyReceivers: true,
  approveHold: true,
  chooseHost: true,
  closeRun: true,
  commitChunk: true,
  confirmUpload: true,
  dropChunk: true,
  listDomains: true,
  lookForDoubts: true,
  lookIntoInbox: true,
  recordUndelivered: true,
  openBackfill: true,
  openPull: true,
  openRun: true,
  planBackfill: true,
  postNotification: true,
  pullPages: true,
  splitChunk: true,
  stageChunk: true,
  stagedChunk: true,
  tellVerified: true,
  verifySync: true,
  checkInboxes: true,
  uploadFile: true,
  uploadJson: true,
  weighRun: true,
  yieldBackfill: true,
};

/** The names of all activities. */
export const activityNames: readonly string[] = Object.keys(names);
