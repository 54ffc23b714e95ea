// Plays one random history on every kind of store, with two processes in turn, and records every answer.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import { hashBytes, isSent } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { PartName } from "../../../../src/state/contract/sends/receipts.ts";
import { ageOf } from "../../../../src/state/rules/keys/ages.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { at, name, nowMs, staged, StoreUnderTest } from "../store-under-test.ts";
import type { KeyImplementation } from "./key-implementations.ts";

const [allKeys, lanes] = [
  ["a", "b", "c", "d", "é", "a\u0000", "a\u0001"],
  [1, 2],
] as const;

/** A key, and the version of its record. */
type Row = readonly [key: string, version: number];

/** The options of a call about its rows. */
const ways = ["often", "once", "full", "aged", "again", "backfill", "late"] as const;

type Way = (typeof ways)[number];

/** How a staging ends: `leave` abandons it once a part left; `cut` and `refuse` apply to parts of it. */
const ends = ["commit", "commit", "giveUp", "leave", "refuse", "cut"] as const;

/** One step, by one of two processes. */
type Step = { readonly process: number } & (
  | {
      readonly do: "call";
      readonly lane: number;
      readonly way: Way;
      readonly rows: readonly Row[];
      readonly hasFields: boolean;
    }
  | { readonly do: "end"; readonly lane: number; readonly how: (typeof ends)[number] }
  | { readonly do: "nextRun"; readonly endsRun: boolean }
  | { readonly do: "forget" | "forgetSeen" | "forgetOlder" }
);

const anyProcess = fc.constantFrom(0, 1);
const lane = fc.constantFrom(1, 1, 2);
const row = fc.tuple(fc.constantFrom(...allKeys), fc.integer({ min: 1, max: 2 }));

/** A step of a history, of any kind. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      process: anyProcess,
      do: fc.constant("call"),
      lane,
      way: fc.constantFrom(...ways, "often", "once"),
      rows: fc.array(row, { maxLength: 6 }),
      hasFields: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      process: anyProcess,
      do: fc.constant("end"),
      lane,
      how: fc.constantFrom(...ends),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      process: anyProcess,
      do: fc.constant("nextRun"),
      endsRun: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      process: anyProcess,
      do: fc.constantFrom("forget", "forgetSeen", "forgetOlder"),
    }),
  },
);

/** The open staging of a lane, and the keys of its records. */
type Open = { chunk: number; stage: number; send: number; rowNumber: number; sent: string[] };

const fieldBytes = 2 * Uint32Array.BYTES_PER_ELEMENT;
const slots = ["x", "y"];

/** A history played on a store. */
class PlayedHistory {
  readonly #processes: readonly StoreUnderTest[];
  readonly #open = new Map<number, Open>();
  readonly #answers: unknown[] = [];
  #runs = 0;
  /** Whether a staging has left and was abandoned, and no other has reached its end yet. */
  #isLeft = false;
  #requests = 0;

  constructor(processes: readonly StoreUnderTest[]) {
    this.#processes = processes;
  }

  /** Every answer, in order; an error is represented by its name. */
  async play(steps: readonly Step[]): Promise<readonly unknown[]> {
    await this.#nextRun({ process: 0, do: "nextRun", endsRun: true });
    for (const one of steps) {
      try {
        await this.#do(one);
      } catch (error) {
        this.#answers.push(error instanceof Error ? error.name : error);
      }
      if (one.do !== "call") await this.#look(1 - one.process, one.do === "nextRun");
    }
    return this.#answers;
  }

  get #runId(): string {
    return `r${this.#runs}`;
  }

  #of(process: number): StoreUnderTest {
    const found = this.#processes[process];
    if (found === undefined) throw new Error("there is no such process");
    return found;
  }

  async #do(one: Step): Promise<void> {
    const { store } = this.#of(one.process);
    if (one.do === "call") await this.#call(one);
    else if (one.do === "nextRun") await this.#nextRun(one);
    else if (one.do === "forget") await store.forgetFingerprints(name);
    else if (one.do === "forgetSeen") {
      await store.forgetSeenBefore({ ...name, runId: this.#runId });
    } else if (one.do === "forgetOlder") {
      await store.forgetOlderMappings({ ...name, mapping: this.#mapping });
    } else if (one.do === "end") await this.#end(one);
  }

  /** What is known, according to the other process; `isOver` if nothing is under way. */
  async #look(process: number, isOver: boolean): Promise<void> {
    const { store } = this.#of(process);
    const mapping = this.#mapping;
    const older = await store.olderMapping({ ...name, mapping });
    this.#answers.push({
      known: await store.knownRecords({ ...name, keys: allKeys }),
      // A repeated key is reported once something left, or once it is settled.
      repeats: this.#isLeft || (await store.hasRepeats(name)),
      older: isOver ? older : older.isAny,
      doubts: (await store.doubtFacts({ ...name, now: { nowMs } })).inDoubt,
    });
  }

  get #mapping(): string {
    return this.#runs % 3 === 0 ? "m2" : "m1";
  }

  async #call({ process, lane: of, way, rows, hasFields }: Step & { do: "call" }): Promise<void> {
    const open = this.#open.get(of);
    if (open === undefined) return;
    const test = this.#of(process);
    const first = open.rowNumber + 1;
    open.rowNumber += rows.length;
    const { send, stage, chunk } = open;
    const ref = { runId: this.#runId, chunk, stage };
    const { verdicts, leaving } = await test.stageKeys({
      ...ref,
      send,
      keys: rows.map(([key]) => key),
      hashes: new Uint8Array(rows.flatMap(([, version]) => Array<number>(hashBytes).fill(version))),
      rowNumbers: Uint32Array.from(rows, (_, index) => first + index),
      ...askedBy(way, rows, send),
      mapping: this.#mapping,
    });
    this.#isLeft &&= rows.length === 0;
    this.#answers.push([...verdicts], [...leaving]);
    const sent = rows.filter((_, index) => isSent(verdicts[index]));
    open.sent.push(...sent.map(([key]) => key));
    if (!hasFields) return;
    // Each version of a record has only a field of its own.
    const fields = sent.flatMap(([, version]) => [version === 1 ? 7 : 0, version === 2 ? 8 : 0]);
    const hashes = new Uint8Array(Uint32Array.from(fields).buffer);
    const leave = { ids: leaving, verdicts: verdicts.filter(isSent) };
    const kept = { ...name, ...ref, ...leave, fieldBytes, hashes };
    this.#answers.push(await test.store.keepFields(kept));
  }

  async #nextRun({ process, endsRun }: Step & { do: "nextRun" }): Promise<void> {
    const test = this.#of(process);
    if (this.#runs > 0) {
      const runId = this.#runId;
      await test.store.dropStagings({ runId });
      this.#isLeft = false;
      this.#open.clear();
      if (endsRun) await test.store.endRun({ runId, outcome: "failed", endedAt: at });
    }
    this.#runs += 1;
    const runId = this.#runId;
    await test.openRun(runId, "backfill");
    const spans = lanes.map(() => ({ from: null, to: null }));
    await test.store.putPlan({ runId, plan: examplePlan, samples: [], spans });
    await test.store.fieldSlots({ ...name, names: slots });
    for (const of of lanes) await this.#draw(test, of, firstChunkOf(of));
  }

  /** Draws a staging; the previous one of the same chunk is abandoned. */
  async #draw(test: StoreUnderTest, of: number, chunk: number): Promise<void> {
    const runId = this.#runId;
    const drawn = await test.store.beginStaging({ runId, chunk, host: "h" });
    this.#open.set(of, { ...drawn, chunk, rowNumber: 0, sent: [] });
  }

  async #end({ process, lane: of, how }: Step & { do: "end" }): Promise<void> {
    const open = this.#open.get(of);
    if (open === undefined) return;
    const test = this.#of(process);
    const { chunk, stage, sent } = open;
    const ref = { runId: this.#runId, chunk, stage };
    if (how === "giveUp") {
      await this.#draw(test, of, chunk);
      return;
    }
    const read = sent.length;
    await test.store.finishStage({
      ...ref,
      ...staged,
      keys: JSON.stringify(sent),
      counts: { ...staged.counts, read, records: read },
      bodies: [{ from: 0, to: read, bytes: 1 }],
      mapping: this.#mapping,
    });
    const part = { ...ref, part: 0 };
    if (how === "leave") {
      if (read > 0) await this.#leave(test, part);
      this.#isLeft = true;
      await this.#draw(test, of, chunk);
      return;
    }
    // After a cut chunk, no further one of its lane is staged.
    this.#open.delete(of);
    if (read > 1 && how !== "commit") await this.#split(test, { part, sent, how });
    else if (read > 0) await this.#accept(test, part);
    if (read > 1 && how === "cut") {
      await test.store.cutChunk({ ...part, part: 2, rejects: [], at });
      return;
    }
    await test.store.commitChunk({ ...ref, at });
    await this.#draw(test, of, chunk + 1);
  }

  /** Lets a part leave, without an answer. */
  async #leave(
    test: StoreUnderTest,
    part: PartName,
  ): Promise<{ readonly attempts: number; readonly request: number | null }> {
    this.#requests += 1;
    const sender = { process: `p${this.#requests}`, stream: "account", now: { nowMs } };
    const request = { ...sender, deadlineMs: 1_000, restMs: 1_000 };
    const begun = await test.store.beginPart({ ...part, form: "body", host: "h", at, request });
    // Work done ahead of the commit must not be visible to anyone.
    if (this.#requests % 2 === 0) await test.store.prepareCommit(part);
    return begun;
  }

  async #accept(test: StoreUnderTest, part: PartName): Promise<void> {
    const { attempts, request } = await this.#leave(test, part);
    const ended = request === null ? undefined : { number: request, now: { nowMs } };
    await test.store.movePart({ ...part, attempts, state: "accepted", at, request: ended });
  }

  /** Makes the service refuse the first record, or a part be halved whose second half is not accepted. */
  async #split(
    test: StoreUnderTest,
    { part, sent, how }: { part: PartName; sent: readonly string[]; how: string },
  ): Promise<void> {
    await this.#leave(test, part);
    const [read, isCut] = [sent.length, how === "cut"];
    const sizes = { jsonBytes: 1, gzipBytes: 1, jsonlSha256: null, gzipSha256: null };
    const piece = (number: number, from: number, to: number) => {
      return { part: number, ranges: [[from, to]] as const, records: to - from, ...sizes };
    };
    const reject = { stream: "account", place: "f:1", code: "x", reason: "x" } as const;
    await test.store.splitPart({
      ...part,
      host: "h",
      at,
      isTooLarge: false,
      rejects: isCut ? [] : [{ ...reject, step: "send", key: sent[0] }],
      parts: isCut ? [piece(1, 0, 1), piece(2, 1, read)] : [piece(1, 1, read)],
    });
    await this.#accept(test, { ...part, part: 1 });
  }
}

/** The options that a way passes for the rows of a call. */
function askedBy(way: Way, rows: readonly Row[], send: number): object {
  const ages = rows.map((_, index) => ageOf(Math.max(1, send - 2), (index * 3) % 5));
  return {
    rejectDuplicates: way === "once",
    full: way === "full" || way === "aged",
    ages: way === "aged" ? ages : undefined,
    again: way === "again" ? rows.map((_, index) => index % 2 === 0) : undefined,
    begunAt: way === "backfill" ? Math.max(0, send - 3) : undefined,
    committedAfter: way === "late" ? nowMs + 1 : undefined,
  };
}

/** Plays a history on a store of one kind, and returns all its answers. */
export async function answersOf(
  { open }: KeyImplementation,
  steps: readonly Step[],
): Promise<readonly unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-state-"));
  const opened = async (): Promise<StoreUnderTest> => StoreUnderTest.of(folder, await open(folder));
  // One after the other: the first one makes the database.
  const processes = [await opened(), await opened()];
  try {
    return await new PlayedHistory(processes).play(steps);
  } finally {
    for (const { store } of processes) await store.close();
    await rm(folder, { recursive: true });
  }
}
