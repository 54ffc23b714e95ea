import { CancellationScope } from "@temporalio/workflow";

import type {
  CommitResult,
  OpenedRun,
  PartRef,
  RunRef,
  StageRef,
  StageResult,
} from "../../activities/inputs.ts";
import { chunkName } from "../../src/lane-of.ts";
import type { ChosenMode } from "../../src/text/choose-mode.ts";
import { faultOf, retryWhileThrottled, type WaitHooks } from "../failures.ts";
import { uploadsPerPartMax } from "../limits.ts";
import type { RunActivities } from "../policies.ts";
import { howToSplit } from "./how-to-split.ts";

/** A chunk on its way, and everything its steps need. */
export type Sending = WaitHooks & {
  readonly opened: OpenedRun;
  readonly activities: RunActivities;
  readonly chunk: number;
  readonly staged: StageResult;
  readonly mode: ChosenMode["mode"];
  /** Resolves when the previous chunk is committed: a later row must win. */
  readonly turn: Promise<void>;
};

/** Passed to every activity of an opened run. */
export function runRef({ runId, storeId, configHash, fence }: OpenedRun): RunRef {
  return { runId, storeId, configHash, fence };
}

function stageRef({ opened, chunk, staged }: Sending): StageRef {
  return { ...runRef(opened), chunk, stage: staged.stage };
}

async function sendBody(sending: Sending, part: PartRef): Promise<void> {
  await sending.turn;
  const summary = `${chunkName(part.chunk, sending.opened.lanes)}, part ${part.part}`;
  await retryWhileThrottled(
    async () => await sending.activities.uploadJson.executeWithOptions({ summary }, [part]),
    sending,
  );
}

async function sendFile(sending: Sending, part: PartRef): Promise<void> {
  const { activities, staged } = sending;
  const name = chunkName(part.chunk, sending.opened.lanes);
  const summary = `${name}: ${staged.records} records, ${staged.gzipBytes} bytes`;
  for (let uploads = 1; ; uploads++) {
    const { fileKey } = await retryWhileThrottled(
      async () => await activities.uploadFile.executeWithOptions({ summary }, [part]),
      sending,
    );
    await sending.turn;
    try {
      await retryWhileThrottled(
        async () => await activities.confirmUpload({ ...part, fileKey }),
        sending,
      );
      return;
    } catch (error) {
      // The service lost the file before it processed it: the same bytes are uploaded again under a new key.
      if (faultOf(error)?.type !== "UploadGone" || uploads >= uploadsPerPartMax) throw error;
    }
  }
}

/** Sends the parts of a chunk in order; a refused part is replaced by the parts of its split. */
async function sendParts(sending: Sending): Promise<void> {
  const { activities, mode, staged } = sending;
  // A chunk without bodies holds a record that is too large for one, such as one in doubt that was sent as a file.
  const isInBodies = mode === "lightweight" && staged.parts > 0;
  const send = isInBodies ? sendBody : sendFile;
  const count = isInBodies ? staged.parts : 1;
  const parts = Array.from({ length: count }, (_, part) => part);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const ref: PartRef = { ...stageRef(sending), part };
    try {
      await send(sending, ref);
    } catch (error) {
      const fault = faultOf(error);
      const how = howToSplit(fault?.type, fault?.facts ?? {});
      if (how === undefined) throw error;
      const split = await retryWhileThrottled(
        async () => await activities.splitChunk({ ...ref, how }),
        sending,
      );
      parts.unshift(...split.parts);
    }
  }
}

/**
 * Sends a staged chunk and saves the checkpoint after it; returns the result of the commit. Uploads of two chunks may
 * overlap; the requests that make the service apply records wait for their turn. Once accepted, the chunk is committed
 * even if the run is cancelled meanwhile.
 */
export async function sendChunk(sending: Sending): Promise<CommitResult> {
  const { activities, opened, chunk, staged } = sending;
  if (staged.records > 0) await sendParts(sending);
  await sending.turn;
  const committed = await CancellationScope.nonCancellable(
    async () => await activities.commitChunk(stageRef(sending)),
  );
  // With the last chunk goes the run's folder, unless another lane has files in it.
  const { runId, lanes = 1 } = opened;
  await cleanUp(activities, staged.done && lanes === 1 ? { runId } : { runId, chunk });
  return committed;
}

/** Removes staged files; a file that stays is removed later, and must not fail the run. */
export async function cleanUp(
  activities: Pick<RunActivities, "dropChunk">,
  what: { readonly runId: string; readonly chunk?: number },
): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    try {
      await activities.dropChunk(what);
    } catch {
      // The files stay until a later clean-up.
    }
  });
}
