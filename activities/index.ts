import { createAdvanceCheckpoint } from "./advance-checkpoint.ts";
import { createChooseHost } from "./choose-host.ts";
import { createCloseRun } from "./close-run.ts";
import { createCommitChunk } from "./commit-chunk.ts";
import { createConfirmUpload } from "./confirm-upload.ts";
import type { Dependencies } from "./dependencies.ts";
import { createDropChunk } from "./drop-chunk.ts";
import { createLookIntoInbox } from "./look-into-inbox.ts";
import { createNoteUntold } from "./note-untold.ts";
import { createOpenBackfill, createYieldBackfill } from "./open-backfill.ts";
import { createOpenRun } from "./open-run.ts";
import { createPlanBackfill } from "./plan-backfill.ts";
import { createPostNotification } from "./post-notification.ts";
import { createListDomains } from "./pull-domains.ts";
import { createOpenPull } from "./pull-open.ts";
import { createPullPages } from "./pull-pages.ts";
import { createLookForDoubts } from "./settle-doubts.ts";
import { createSplitChunk } from "./split-chunk.ts";
import { createStageChunk } from "./stage-chunk.ts";
import { createSweepInboxes } from "./sweep-inboxes.ts";
import { createUploadFile } from "./upload-file.ts";
import { createUploadJson } from "./upload-json.ts";

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
