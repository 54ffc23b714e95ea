// The course of one attempt at a chunk, from its staging to its end.
import { setTimeout as wait } from "node:timers/promises";

import type { NewPart } from "../../../../../src/state/contract/sends/receipts.ts";
import type { StageName } from "../../../../../src/state/contract/sends/stagings.ts";
import { at, staged, type StoreUnderTest } from "../../store-under-test.ts";
import { VersionedKeys } from "../versioned-keys.ts";
import type { LateCall, PlannedAttempt } from "./plan.ts";
import { fieldOf, type SentRecords, type SentStaging } from "./sent.ts";

/** The store opened by two processes, of which the other one makes the late calls. */
export type AttemptHosts = {
  readonly own: StoreUnderTest;
  readonly other: StoreUnderTest;
  /** Makes the commits of a staging fail at their end, until the returned function is called. */
  readonly failCommits: (send: number) => Promise<() => Promise<void>>;
};

/** What all attempts of a run share. */
export type PlayedRun = {
  readonly runId: string;
  readonly sent: SentRecords;
  /** Registers a late call, which may be refused as such. */
  readonly late: (call: Promise<unknown>) => void;
};

const files = { jsonlSha256: null, gzipSha256: null, jsonBytes: 1, gzipBytes: 1 };
const reject = { stream: "account", place: "f:1", step: "send", code: "x", reason: "x" } as const;

/** Whether a commit failed on purpose (`failCommits`). */
export function isFailedCommit(error: unknown): boolean {
  return error instanceof Error && /killed|P0001/u.test(error.message);
}

/** One attempt at a chunk. */
export class ChunkAttempt {
  readonly #run: PlayedRun;
  readonly #hosts: AttemptHosts;
  readonly #plan: PlannedAttempt;

  constructor(run: PlayedRun, hosts: AttemptHosts, plan: PlannedAttempt) {
    [this.#run, this.#hosts, this.#plan] = [run, hosts, plan];
  }

  /** Plays the attempt. Returns what it sent. */
  async play(chunk: number): Promise<SentStaging> {
    const [first, second, third] = this.#plan.waitsMs;
    await wait(first);
    const sent = await this.#stage(chunk);
    this.#callLate(sent.ref, "staged");
    if (this.#plan.end === "abandon" || this.#plan.end === "drop") return sent;
    await wait(second);
    // From now on nobody can know what the service has.
    for (const key of sent.keys) sent.perhaps.add(key);
    await this.#hosts.own.store.beginPart({ ...this.#fileOf(sent.ref), part: 0 });
    this.#callLate(sent.ref, "left");
    await wait(third);
    await this.#end(sent);
    return sent;
  }

  async #stage(chunk: number): Promise<SentStaging> {
    const { own, other } = this.#hosts;
    const { version, keys, end } = this.#plan;
    const { runId, sent } = this.#run;
    const records = { version, of: keys, field: fieldOf(version) };
    const ref = await new VersionedKeys(own).stage({ runId, chunk, ...records });
    const { send = 0 } = (await own.store.staging(ref)) ?? {};
    const staging: SentStaging = {
      ref,
      send,
      version,
      keys: new Set(keys),
      stagedAt: performance.now(),
      endedAt: Infinity,
      accepted: new Set(),
      perhaps: new Set(),
      refused: 0,
      state: "staging",
    };
    sent.note(staging);
    if (end === "abandon") {
      // It continues staging, and does not know that it was abandoned.
      const stageOn = async (): Promise<void> => {
        await wait(this.#plan.waitsMs[1]);
        await new VersionedKeys(other).stageOn({ ...ref, send }, records);
      };
      this.#run.late(stageOn());
      return staging;
    }
    const counts = { ...staged.counts, read: keys.length, records: keys.length };
    await own.store.finishStage({ ...ref, ...staged, counts, keys: JSON.stringify(keys) });
    return staging;
  }

  #fileOf(ref: StageName) {
    return { ...ref, form: "file", host: "h", at } as const;
  }

  #callLate(ref: StageName, once: LateCall["once"]): void {
    for (const { does, isOnItsHost, waitsMs } of this.#plan.late.filter(
      (one) => one.once === once,
    )) {
      const { store } = isOnItsHost ? this.#hosts.own : this.#hosts.other;
      const call = async (): Promise<void> => {
        await wait(waitsMs);
        await (does === "prepare" ? store.prepareCommit(ref) : store.commitChunk({ ...ref, at }));
      };
      this.#run.late(call());
    }
  }

  /** Makes a call, and repeats it from the other host if the plan says so: both must have the effect of one. */
  async #perhapsTwice(call: (test: StoreUnderTest) => Promise<unknown>): Promise<void> {
    const { againMs } = this.#plan;
    if (againMs !== undefined) {
      const again = async (): Promise<void> => {
        await wait(againMs);
        await call(this.#hosts.other);
      };
      this.#run.late(again());
    }
    await call(this.#hosts.own);
  }

  async #end(sent: SentStaging): Promise<void> {
    const { keys, end } = this.#plan;
    const half = Math.floor(keys.length / 2);
    if (end === "leave") return;
    if (end === "accept" || end === "lose") await this.#accept(sent, 0, keys);
    if (end === "refuse") {
      const { refused } = this.#plan;
      await this.#split(sent, keys.slice(0, refused), [[refused, keys.length]]);
      await this.#accept(sent, 1, keys.slice(refused));
    }
    if (end === "cut") await this.#cut(sent, 0, keys);
    if (end === "cutHalf") {
      await this.#split(
        sent,
        [],
        [
          [0, half],
          [half, keys.length],
        ],
      );
      await this.#accept(sent, 1, keys.slice(0, half));
      await this.#hosts.own.store.beginPart({ ...this.#fileOf(sent.ref), part: 2 });
      await this.#cut(sent, 2, keys.slice(half));
    }
    if (end === "lose") return;
    if (end === "accept" || end === "refuse") {
      if (this.#plan.failsOnce) await this.#failCommit(sent);
      await this.#perhapsTwice(async ({ store }) => await store.commitChunk({ ...sent.ref, at }));
    }
    sent.endedAt = performance.now();
  }

  async #failCommit({ ref, send }: SentStaging): Promise<void> {
    const mend = await this.#hosts.failCommits(send);
    try {
      await this.#hosts.own.store.commitChunk({ ...ref, at });
    } catch (error) {
      // A late attempt may have committed it already: then nothing fails.
      if (!isFailedCommit(error)) throw error;
    } finally {
      await mend();
    }
  }

  async #accept({ ref, accepted }: SentStaging, part: number, keys: readonly string[]) {
    const { store } = this.#hosts.own;
    const fileKey = `${ref.chunk} ${ref.stage} ${part}`;
    await store.beginPart({ ...this.#fileOf(ref), part });
    await this.#hosts.own.move({ ...ref, part, at, state: "uploaded", fileKey });
    await store.beginPart({ ...this.#fileOf(ref), part, confirm: fileKey });
    for (const key of keys) accepted.add(key);
    await this.#hosts.own.move({ ...ref, part, at, state: "accepted" });
  }

  /** Lets the first part be refused: some records for good, and the others in parts of their own. */
  async #split(
    sent: SentStaging,
    refused: readonly string[],
    ranges: readonly (readonly [number, number])[],
  ): Promise<void> {
    const parts: NewPart[] = ranges.map(([from, to], index) => ({
      ...files,
      part: index + 1,
      ranges: [[from, to]],
      records: to - from,
    }));
    const rejects = refused.map((key) => ({ ...reject, key }));
    const splitting = { ...sent.ref, part: 0, at, host: "h", isTooLarge: false, rejects, parts };
    this.#refuse(sent, refused);
    await this.#perhapsTwice(async ({ store }) => await store.splitPart(splitting));
  }

  /** Cuts the chunk at a part, whose first record is refused. */
  async #cut(sent: SentStaging, part: number, keys: readonly string[]): Promise<void> {
    const rejects = keys.slice(0, 1).map((key) => ({ ...reject, key }));
    for (const key of keys) sent.perhaps.delete(key);
    this.#refuse(sent, keys.slice(0, 1));
    const cutting = { ...sent.ref, part, at, rejects };
    await this.#perhapsTwice(async ({ store }) => await store.cutChunk(cutting));
  }

  #refuse(sent: SentStaging, keys: readonly string[]): void {
    for (const key of keys) sent.perhaps.delete(key);
    sent.refused += keys.length;
  }
}
