import { CancellationScope, workflowInfo } from "@temporalio/workflow";

import type { OpenedRun, StageResult } from "../activities/inputs.ts";
import { restagesPerChunkMax } from "../src/limits.ts";
import { chooseMode, type ChosenMode } from "./choose-mode.ts";
import { faultOf, patiently } from "./failures.ts";
import type { RunActivities } from "./policies.ts";
import { sendChunk, type Sending } from "./send-chunk.ts";

/** What the transfer loop works with and reports to. */
export type Transfer = {
  readonly opened: OpenedRun;
  readonly activities: RunActivities;
  readonly onStaged: (staged: StageResult) => void;
  readonly onCommitted: (staged: StageResult) => void;
  readonly onMode: (mode: ChosenMode) => void;
  readonly onRestage: (dropped: readonly StageResult[]) => void;
  readonly waiting: (why: string | null) => void;
};

/** Where the loop stands: everything it needs to go on as new. */
export type TransferPlace = { readonly chunk: number; readonly mode?: ChosenMode | undefined };

/** How a stretch of the loop ended; after `restage`, `error` says which file was lost. */
type Ended =
  | { readonly kind: "done" | "continue"; readonly place: TransferPlace }
  | { readonly kind: "restage"; readonly place: TransferPlace; readonly error: unknown };

async function stage(transfer: Transfer, chunk: number): Promise<StageResult> {
  const { activities, opened, waiting } = transfer;
  const { runId, storeId, configHash, fence } = opened;
  const input = { runId, storeId, configHash, fence, chunk };
  for (let stagings = 1; ; stagings++) {
    try {
      const summary = `chunk ${chunk}`;
      return await patiently(
        async () => await activities.stageChunk.executeWithOptions({ summary }, [input]),
        waiting,
      );
    } catch (error) {
      if (faultOf(error)?.type !== "SourceChanged" || stagings >= restagesPerChunkMax) throw error;
    }
  }
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
  const { opened, activities, waiting } = transfer;
  const scope = new CancellationScope({ cancellable: true });
  const inFlight: { readonly chunk: number; readonly staged: StageResult }[] = [];
  let failed: { readonly error: unknown } | undefined;
  let turn = Promise.resolve();
  let { mode } = from;

  const send = async (
    chunk: Pick<Sending, "chunk" | "staged" | "mode">,
    before: Promise<void>,
  ): Promise<void> => {
    try {
      await sendChunk({ opened, activities, waiting, ...chunk, turn: before });
      inFlight.shift();
      if (!opened.settings.dryRun) transfer.onCommitted(chunk.staged);
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
      const staged = await stage(transfer, chunk);
      inFlight.push({ chunk, staged });
      transfer.onStaged(staged);
      if (mode === undefined) {
        const { mode: asked, lightweightPartsMax: partsMax } = opened.settings;
        const { records, parts: bodies, done: isWhole } = staged;
        mode = chooseMode({ asked, partsMax, isWhole, records, bodies });
        transfer.onMode(mode);
      }
      const before = turn;
      turn = send({ chunk, staged, mode: mode.mode }, before);
      turn.catch(() => undefined); // it is awaited below or by the next chunk; until then it must not fail the task
      await before;
      const place = { chunk: chunk + 1, mode };
      const isOver = staged.done || shouldContinueAsNew(opened, chunk + 1 - from.chunk);
      if (isOver) {
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
    const [first] = inFlight;
    if (faultOf(cause)?.type !== "StagedFileMissing" || first === undefined) throw cause;
    transfer.onRestage(inFlight.map(({ staged }) => staged));
    return { kind: "restage", place: { chunk: first.chunk, mode }, error: cause };
  }
}

/**
 * Transfers a batch from `from` on. A lost staged file is staged again, and with it every later chunk that was staged
 * before, because its beginning may have moved.
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
    if (times > restagesPerChunkMax) throw ended.error;
    ({ place } = ended);
    lost = place.chunk;
  }
}
