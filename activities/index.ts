import { createOpenBackfill, createYieldBackfill } from "./backfill/open-backfill.ts";
import { createPlanBackfill } from "./backfill/plan-backfill.ts";
import type { Dependencies } from "./dependencies.ts";
import { createLookIntoInbox } from "./inbox/look-into-inbox.ts";
import { createSweepInboxes } from "./inbox/sweep-inboxes.ts";
import { createNoteUntold } from "./notify/note-untold.ts";
import { createPostNotification } from "./notify/post-notification.ts";
import { createListDomains } from "./pull/domains.ts";
import { createOpenPull } from "./pull/open.ts";
import { createPullPages } from "./pull/pages.ts";
import { createAdvanceCheckpoint } from "./run/advance-checkpoint.ts";
import { createChooseHost } from "./run/choose-host.ts";
import { createCloseRun } from "./run/close-run.ts";
import { createOpenRun } from "./run/open-run.ts";
import { createLookForDoubts } from "./run/settle-doubts.ts";
import { createDropChunk } from "./stage/drop-chunk.ts";
import { createSplitChunk } from "./stage/split-chunk.ts";
import { createStageChunk } from "./stage/stage-chunk.ts";
import { createCommitChunk } from "./upload/commit-chunk.ts";
import { createConfirmUpload } from "./upload/confirm-upload.ts";
import { createUploadFile } from "./upload/upload-file.ts";
import { createUploadJson } from "./upload/upload-json.ts";

/** The activities that need no local file: any worker may run them. */
export function createSharedActivities(deps: Dependencies): {
  readonly openRun: ReturnType<typeof createOpenRun>;
  readonly planBackfill: ReturnType<typeof createPlanBackfill>;
  readonly openBackfill: ReturnType<typeof createOpenBackfill>;
  readonly yieldBackfill: ReturnType<typeof createYieldBackfill>;
  readonly advanceCheckpoint: ReturnType<typeof createAdvanceCheckpoint>;
  readonly chooseHost: ReturnType<typeof createChooseHost>;
  readonly confirmUpload: ReturnType<typeof createConfirmUpload>;
  readonly commitChunk: ReturnType<typeof createCommitChunk>;
  readonly closeRun: ReturnType<typeof createCloseRun>;
  readonly postNotification: ReturnType<typeof createPostNotification>;
  readonly noteUntold: ReturnType<typeof createNoteUntold>;
  readonly openPull: ReturnType<typeof createOpenPull>;
  readonly listDomains: ReturnType<typeof createListDomains>;
  readonly pullPages: ReturnType<typeof createPullPages>;
  readonly lookForDoubts: ReturnType<typeof createLookForDoubts>;
  readonly lookIntoInbox: ReturnType<typeof createLookIntoInbox>;
  readonly sweepInboxes: ReturnType<typeof createSweepInboxes>;
} {
  return {
    openRun: createOpenRun(deps),
    planBackfill: createPlanBackfill(deps),
    openBackfill: createOpenBackfill(deps),
    yieldBackfill: createYieldBackfill(deps),
    advanceCheckpoint: createAdvanceCheckpoint(deps),
    chooseHost: createChooseHost(deps),
    confirmUpload: createConfirmUpload(deps),
    commitChunk: createCommitChunk(deps),
    closeRun: createCloseRun(deps),
    postNotification: createPostNotification(deps),
    noteUntold: createNoteUntold(deps),
    openPull: createOpenPull(deps),
    listDomains: createListDomains(deps),
    pullPages: createPullPages(deps),
    lookForDoubts: createLookForDoubts(deps),
    lookIntoInbox: createLookIntoInbox(deps),
    sweepInboxes: createSweepInboxes(deps),
  };
}

/** The activities that read or write staged files: they run where those lie. */
export function createHostActivities(deps: Dependencies): {
  readonly stageChunk: ReturnType<typeof createStageChunk>;
  readonly uploadJson: ReturnType<typeof createUploadJson>;
  readonly uploadFile: ReturnType<typeof createUploadFile>;
  readonly splitChunk: ReturnType<typeof createSplitChunk>;
  readonly dropChunk: ReturnType<typeof createDropChunk>;
} {
  return {
    stageChunk: createStageChunk(deps),
    uploadJson: createUploadJson(deps),
    uploadFile: createUploadFile(deps),
    splitChunk: createSplitChunk(deps),
    dropChunk: createDropChunk(deps),
  };
}

/** Types of the activities of the shared queue. */
export type SharedActivities = ReturnType<typeof createSharedActivities>;

/** Types of the activities of a host's queue. */
export type HostActivities = ReturnType<typeof createHostActivities>;
