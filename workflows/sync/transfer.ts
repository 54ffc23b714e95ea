import { CancellationScope, workflowInfo } from "@temporalio/workflow";

import type { CommitResult, OpenedRun, StageResult } from "../../activities/inputs.ts";
import { chunkName } from "../../src/lane-of.ts";
import { hostsLostMax, restagesPerChunkMax } from "../../src/limits.ts";
import { faultOf, isHostAway, retryWhileThrottled } from "../failures.ts";
import { activitiesOf } from "../policies.ts";
import { chooseMode, type ChosenMode } from "./choose-mode.ts";
import { runRef, sendChunk, type Sending } from "./send-chunk.ts";

/** What the transfer loop reports to. */
export type Transfer = {
  readonly onStaged: (staged: StageResult) => void;
  readonly onCommitted: (staged: StageResult, result: CommitResult) => void;
  readonly onMode: (mode: ChosenMode) => void;
  readonly onRestage: (dropped: readonly StageResult[]) => void;
  /** Takes where the run continues after something was lost: perhaps on another host. */
  readonly onPlace: (place: TransferPlace) => void;
  readonly waiting: (why: string | null) => void;
  /** Asked after each staged chunk: whether the loop is to stop there, with everything committed that it staged. */
  readonly shouldStop?: (() => boolean) | undefined;
};

/** Where the loop stands: everything it needs to continue as new. Its host changes when one is lost. */
export type TransferPlace = {
  readonly opened: OpenedRun;
  readonly chunk: number;
  readonly mode?: ChosenMode | undefined;
};

/** What the activities of a run at one host are called with. */
type AtHost = Pick<Sending, "activities" | "isHostGone" | "opened" | "waiting">;

/** How a stretch ended; after `restage`, `error` says which file or host was lost. */
type Ended =
  | { readonly kind: "done" | "continue"; readonly place: TransferPlace }
  | { readonly kind: "restage"; readonly place: TransferPlace; readonly error: unknown };

/** A run at its host; `move` takes the run as it continues at another one, when this one is gone. */
function atHost(
  opened: OpenedRun,
  waiting: Transfer["waiting"],
  move: (opened: OpenedRun) => void,
): AtHost {
  const activities = activitiesOf(opened);
  const isHostGone = async (): Promise<boolean> => {
    const ask = { ...runRef(opened), hostQueue: opened.hostQueue };
    const { hostQueue } = await activities.chooseHost(ask);
    move({ ...opened, hostQueue });
    return hostQueue !== opened.hostQueue;
  };
  return { opened, activities, isHostGone, waiting };
}

async function stage(host: AtHost, chunk: number): Promise<StageResult> {
  const { activities, opened } = host;
  const input = { ...runRef(opened), chunk };
  for (let stagings = 1; ; stagings++) {
    try {
      const summary = chunkName(chunk, opened.lanes);
      return await retryWhileThrottled(
        async () => await activities.stageChunk.executeWithOptions({ summary }, [input]),
        host,
      );
    } catch (error) {
      if (faultOf(error)?.type !== "SourceChanged" || stagings > restagesPerChunkMax) throw error;
    }
  }
}

/** The mode of a whole run, which the first chunk with records decides. */
function modeOf({ settings }: OpenedRun, first: StageResult): ChosenMode | undefined {
  const { mode: asked, lightweightPartsMax: partsMax } = settings;
  const { records, parts: bodies, done: isWhole } = first;
  return chooseMode({ asked, partsMax, isWhole, records, bodies });
}

function shouldContinueAsNew(opened: OpenedRun, chunks: number): boolean {
  const { chunksPerRun = Infinity } = opened.settings;
  return workflowInfo().continueAsNewSuggested || chunks >= chunksPerRun;
}

/**
 * Stages chunk after chunk and sends each beside the staging of the next, until the source ends, it is time to continue
 * as new, or a staged file is lost. At most two chunks are staged or uploading at once.
 */
async function stretch(transfer: Transfer, from: TransferPlace): Promise<Ended> {
  let { mode, opened, chunk: staging } = from;
  const host = atHost(opened, transfer.waiting, (moved) => {
    opened = moved;
  });
  const scope = new CancellationScope({ cancellable: true });
  const inFlight: { readonly chunk: number; readonly staged: StageResult }[] = [];
  let failed: { readonly error: unknown } | undefined;
  let turn = Promise.resolve();

  const send = async (
    chunk: Pick<Sending, "chunk" | "staged" | "mode">,
    before: Promise<void>,
  ): Promise<void> => {
    try {
      const committed = await sendChunk({ ...host, ...chunk, turn: before });
      inFlight.shift();
      if (committed !== undefined) transfer.onCommitted(chunk.staged, committed);
    } catch (error) {
      // The chunk before is not given up for the fault of this one.
      await before.catch(() => undefined);
      failed ??= { error };
      scope.cancel();
      throw error;
    }
  };
  const loop = async (): Promise<Ended> => {
    for (let chunk = from.chunk; ; chunk++) {
      staging = chunk;
      const staged = await stage(host, chunk);
      inFlight.push({ chunk, staged });
      transfer.onStaged(staged);
      if (mode === undefined) {
        mode = modeOf(opened, staged);
        if (mode !== undefined) transfer.onMode(mode);
      }
      const before = turn;
      // Without records the mode says nothing.
      turn = send({ chunk, staged, mode: mode?.mode ?? "lightweight" }, before);
      turn.catch(() => undefined); // it is awaited below or by the next chunk; until then it must not fail the task
      await before;
      const place = { opened, chunk: chunk + 1, mode };
      const isOver = staged.done || shouldContinueAsNew(opened, chunk + 1 - from.chunk);
      if (isOver || transfer.shouldStop?.() === true) {
        await turn;
        return { kind: staged.done ? "done" : "continue", place };
      }
    }
  };
  try {
    return await scope.run(loop);
  } catch (error) {
    // Nothing is decided while a chunk is still on its way: what it gets accepted is committed.
    await turn.catch(() => undefined);
    const cause = failed?.error ?? error;
    if (faultOf(cause)?.type !== "StagedFileMissing" && !isHostAway(cause)) throw cause;
    transfer.onRestage(inFlight.map(({ staged }) => staged));
    const [first] = inFlight;
    const place = { opened, chunk: first?.chunk ?? staging, mode };
    return { kind: "restage", place, error: cause };
  }
}

/**
 * Transfers a batch from `from` on. A lost staged file, or all files of a lost host, are staged again, and with them every
 * later chunk that was staged before, because its beginning may have moved.
 */
export async function transferBatch(
  transfer: Transfer,
  from: TransferPlace,
): Promise<{ readonly kind: "done" | "continue"; readonly place: TransferPlace }> {
  let place = from;
  let [lost, times] = [0, 0];
  for (;;) {
    const ended = await stretch(transfer, place);
    if (ended.kind !== "restage") return ended;
    times = ended.place.chunk === lost ? times + 1 : 1;
    if (times > (isHostAway(ended.error) ? hostsLostMax : restagesPerChunkMax)) throw ended.error;
    ({ place } = ended);
    lost = place.chunk;
    transfer.onPlace(place);
  }
}
