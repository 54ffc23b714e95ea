import { CancellationScope, workflowInfo } from "@temporalio/workflow";

import type { CommitResult, OpenedRun, StageResult } from "../../activities/inputs.ts";
import { chunkName, laneOf } from "../../src/lane-of.ts";
import { chooseMode, type ChosenMode } from "../../src/text/choose-mode.ts";
import { faultOf, isHostAway, retryWhileThrottled, type Waiting } from "../failures.ts";
import { hostsLostMax, restagesPerChunkMax } from "../limits.ts";
import { activitiesOf } from "../policies.ts";
import { runRef, sendChunk, type Sending } from "./send-chunk.ts";

/** Where the transfer loop reports, and whom it asks. */
export type Transfer = {
  readonly onStaged: (staged: StageResult) => void;
  readonly onCommitted: (staged: StageResult, result: CommitResult) => void;
  readonly onMode: (mode: ChosenMode) => void;
  readonly onRestage: (dropped: readonly StageResult[]) => void;
  /** Receives where the run continues after something was lost: perhaps on another host. */
  readonly onPlace: (place: TransferPlace) => void;
  readonly waiting: Waiting;
  /** Asked when everything is staged and nothing of it has left: whether to send it. */
  readonly toSend?: ((opened: OpenedRun) => Promise<boolean>) | undefined;
  /** Asked after each staged chunk: whether the loop must stop there, with everything committed that it staged. */
  readonly shouldStop?: (() => boolean) | undefined;
};

/** The position of the loop: everything it needs to continue as new. Its host changes when one is lost. */
export type TransferPlace = {
  readonly opened: OpenedRun;
  readonly chunk: number;
  readonly mode?: ChosenMode | undefined;
  /** Set for a run that stages everything before it sends. Undefined sends each chunk while the next is staged. */
  readonly phase?: "send" | "stage" | undefined;
  /** While staging: the first chunk that is not committed. */
  readonly firstStaged?: number | undefined;
};

/** A run at one host, with its activities. */
type AtHost = Pick<Sending, "activities" | "isHostGone" | "opened" | "waiting">;

/** How a segment ended; after `restage`, `error` says which file or host was lost. */
type Ended =
  | { readonly kind: "done" | "continue"; readonly place: TransferPlace }
  | { readonly kind: "restage"; readonly place: TransferPlace; readonly error: unknown };

/** A run at its host; `move` receives the run as it continues at another host when this one is gone. */
function atHost(
  { opened, chunk }: TransferPlace,
  waiting: Waiting,
  move: (opened: OpenedRun) => void,
): AtHost {
  const activities = activitiesOf(opened);
  const isHostGone = async (): Promise<boolean> => {
    const { hostQueue } = await activities.chooseHost({
      ...runRef(opened),
      hostQueue: opened.hostQueue,
      lane: laneOf(chunk).lane,
    });
    move({ ...opened, hostQueue });
    return hostQueue !== opened.hostQueue;
  };
  return { opened, activities, isHostGone, waiting };
}

/** The result of staging a chunk earlier. */
async function takeStaged(host: AtHost, chunk: number): Promise<StageResult> {
  return await host.activities.stagedChunk({ ...runRef(host.opened), chunk });
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

/** The mode of a whole run; its first chunk with records decides. */
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
 * One segment of a transfer: chunks are staged one after the other and sent in order. At most two are staged or on
 * their way at once:
 *
 *     stage 1 │ stage 2 ∥ send 1 │ stage 3 ∥ send 2 │ … │ send n
 *
 * A fault on either side ends both; a chunk that is on its way then is still committed.
 */
class Segment {
  readonly #transfer: Transfer;
  readonly #first: number;
  readonly #host: AtHost;
  readonly #scope = new CancellationScope({ cancellable: true });
  /** Staged chunks that are not committed, in order. */
  readonly #inFlight: { readonly chunk: number; readonly staged: StageResult }[] = [];
  #opened: OpenedRun;
  #mode: ChosenMode | undefined;
  readonly #phase: TransferPlace["phase"];
  readonly #firstStaged: number;
  /** The chunk that is being staged. */
  #staging: number;
  /** Resolves when the last staged chunk is committed. */
  #lastSend = Promise.resolve();
  #failed: { readonly error: unknown } | undefined;

  constructor(transfer: Transfer, place: TransferPlace) {
    const { opened, chunk, mode, phase, firstStaged } = place;
    this.#transfer = transfer;
    this.#opened = opened;
    this.#mode = mode;
    this.#phase = phase;
    this.#firstStaged = firstStaged ?? chunk;
    this.#first = chunk;
    this.#staging = chunk;
    this.#host = atHost(place, transfer.waiting, (moved) => {
      this.#opened = moved;
    });
  }

  /** Runs until the source ends, it is time to continue as new, or a staged file is lost. */
  async run(): Promise<Ended> {
    try {
      return await this.#scope.run(async () => await this.#stageAhead());
    } catch (error) {
      // Nothing is decided while a chunk is still on its way: if it is accepted, it is committed.
      await this.#lastSend.catch(() => undefined);
      const cause = this.#failed?.error ?? error;
      if (faultOf(cause)?.type !== "StagedFileMissing" && !isHostAway(cause)) throw cause;
      this.#transfer.onRestage(this.#inFlight.map(({ staged }) => staged));
      return { kind: "restage", place: this.#placeAgain(), error: cause };
    }
  }

  /** Stages each chunk while the previous one is sent. */
  async #stageAhead(): Promise<Ended> {
    for (let chunk = this.#first; ; chunk++) {
      this.#staging = chunk;
      const staged = await this.#stage(chunk);
      this.#chooseMode(staged);
      const before = this.#lastSend;
      if (this.#phase !== "stage") this.#lastSend = this.#sendInOrder({ chunk, staged }, before);
      // Awaited below or by the next chunk; until then a rejection must not fail the task.
      this.#lastSend.catch(() => undefined);
      await before;
      const isOver = staged.done || shouldContinueAsNew(this.#opened, chunk + 1 - this.#first);
      if (isOver || this.#transfer.shouldStop?.() === true) {
        await this.#lastSend;
        return { kind: staged.done ? "done" : "continue", place: this.#placeAt(chunk + 1) };
      }
    }
  }

  /** Stages a chunk, or takes one that was staged before. */
  async #stage(chunk: number): Promise<StageResult> {
    const isStaged = this.#phase === "send";
    const result = await (isStaged ? takeStaged : stage)(this.#host, chunk);
    this.#inFlight.push({ chunk, staged: result });
    if (!isStaged) this.#transfer.onStaged(result);
    return result;
  }

  /** Sends a chunk; the requests that make the service apply its records wait for the previous chunk. */
  async #sendInOrder(
    { chunk, staged }: Pick<Sending, "chunk" | "staged">,
    before: Promise<void>,
  ): Promise<void> {
    try {
      // Without records the mode does not matter.
      const mode = this.#mode?.mode ?? "lightweight";
      const sending = { ...this.#host, chunk, staged, mode, turn: before };
      const committed = await sendChunk(sending);
      this.#inFlight.shift();
      if (committed !== undefined) this.#transfer.onCommitted(staged, committed);
    } catch (error) {
      // A fault of this chunk does not abandon the previous one.
      await before.catch(() => undefined);
      this.#failed ??= { error };
      this.#scope.cancel();
      throw error;
    }
  }

  /** The first chunk with records decides the mode of the whole run. */
  #chooseMode(staged: StageResult): void {
    if (this.#mode !== undefined) return;
    this.#mode = modeOf(this.#opened, staged);
    if (this.#mode !== undefined) this.#transfer.onMode(this.#mode);
  }

  #placeAt(chunk: number): TransferPlace {
    const phase = this.#phase;
    const firstStaged = phase === "stage" ? this.#firstStaged : undefined;
    return { opened: this.#opened, chunk, mode: this.#mode, phase, firstStaged };
  }

  /** Where the lost chunk is staged again, with all chunks staged after it, before any more of them leaves. */
  #placeAgain(): TransferPlace {
    const chunk =
      this.#phase === "stage" ? this.#firstStaged : (this.#inFlight[0]?.chunk ?? this.#staging);
    const place = this.#placeAt(chunk);
    return this.#phase === undefined ? place : { ...place, phase: "stage", firstStaged: chunk };
  }
}

/** The place from which to send everything that is staged. */
function sendingFrom(place: TransferPlace): TransferPlace {
  return { ...place, phase: "send", chunk: place.firstStaged ?? 1, firstStaged: undefined };
}

/**
 * Transfers a batch from `from` on. A lost staged file, or all files of a lost host, are staged again, and with them
 * every later staged chunk, because its beginning may have moved. A run that is weighed before it is sent is weighed
 * again then.
 */
export async function transferBatch(
  transfer: Transfer,
  from: TransferPlace,
): Promise<{ readonly kind: "done" | "continue" | "discard"; readonly place: TransferPlace }> {
  let place = from;
  let [lost, times] = [0, 0];
  for (;;) {
    const ended = await new Segment(transfer, place).run();
    if (ended.kind === "done" && ended.place.phase === "stage") {
      if ((await transfer.toSend?.(ended.place.opened)) === false) {
        return { kind: "discard", place: ended.place };
      }
      place = sendingFrom(ended.place);
      continue;
    }
    if (ended.kind !== "restage") return ended;
    times = ended.place.chunk === lost ? times + 1 : 1;
    if (times > (isHostAway(ended.error) ? hostsLostMax : restagesPerChunkMax)) throw ended.error;
    ({ place } = ended);
    lost = place.chunk;
    transfer.onPlace(place);
  }
}
