// Plays random histories on a store and on the rules in their plainest form, and compares every verdict.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import { hashBytes, verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { ageOf, sendOf } from "../../../../src/state/rules/keys/ages.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { trials } from "../../../support/trials.ts";
import { at, name, nowMs, staged, StoreUnderTest } from "../store-under-test.ts";
import { type KeyImplementation, keyImplementations } from "./key-implementations.ts";

/** The mapping of a run: every second run has the other one. */
function mappingOf(runId: string): string {
  return `mapping ${Number(runId.slice(1)) % 2}`;
}

/** When a run commits its chunks (Unix ms). */
function committedAt(runId: string): number {
  return nowMs + Number(runId.slice(1)) * 1_000;
}

/** Commits from this time on count, for a way that resends old records: the run's own, or the previous run's too. */
function committedAfter(runId: string, way: Way): number | undefined {
  const older = (Number(runId.slice(1)) % 2) * 1_000;
  return way === "resendAfter" ? committedAt(runId) - older : undefined;
}

/** How a run judges everything it reads. */
const ways = {
  once: { rejectDuplicates: true, full: false },
  often: { rejectDuplicates: false, full: false },
  full: { rejectDuplicates: true, full: true },
  fullOften: { rejectDuplicates: false, full: true },
  replay: { rejectDuplicates: false, full: false },
  resendAfter: { rejectDuplicates: false, full: false },
} as const;

type Way = keyof typeof ways;

/** A key, and the version of its record. */
type Row = readonly [key: string, version: number];

/** Two lanes of a run stage concurrently; `giveUpSent` abandons a staging that was sent and not accepted. */
type Step =
  | { readonly do: "call"; readonly lane: number; readonly rows: readonly Row[] }
  | { readonly do: "nextRun"; readonly way: Way }
  | { readonly do: "commit" | "giveUp" | "giveUpSent"; readonly lane: number }
  | { readonly do: "forget" | "reopen" };

const lanes = [1, 2];
const lane = fc.constantFrom(1, 1, 2);

const row = fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.integer({ min: 1, max: 2 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("call"),
      lane,
      rows: fc.array(row, { maxLength: 6 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("commit"), lane }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("giveUp", "giveUpSent"), lane }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("nextRun"),
      way: fc.constantFrom(
        "once",
        "once",
        "often",
        "often",
        "full",
        "fullOften",
        "replay",
        "replay",
        "replay",
        "resendAfter",
        "resendAfter",
        "resendAfter",
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("forget", "reopen") }) },
);

type Sent = { readonly version: number; readonly send: number; readonly isTwice: boolean };

const allKeys = ["a", "b", "c", "d", "e"];

/** The rules, with the whole history available. */
class Rules {
  readonly sends = new Map<number, { readonly runId: string; state: string }>();
  readonly #sent = new Map<string, readonly Sent[]>();
  readonly #seen = new Map<string, number[]>();
  #validAfter = 0;

  forget(): void {
    this.#validAfter = Math.max(...this.sends.keys());
  }

  /** Ends a staging attempt. An attempt that was abandoned before any of it left is undone as if it had never begun. */
  decide(send: number, state: "committed" | "dropped", hasLeft: boolean): void {
    const found = this.sends.get(send);
    if (found?.state !== "staging") return;
    found.state = state;
    if (state === "committed" || hasLeft) return;
    for (const [key, all] of this.#sent) {
      const others = all.filter((one) => one.send !== send);
      this.#sent.set(key, others);
      // For a key that is new again, a replay is as new as any row: the later row never left.
      if (others.length === 0) this.#seen.delete(key);
    }
  }

  /** The known state of each key: the version of its record, or why there is none. */
  known(): readonly unknown[] {
    return allKeys.map((key) => {
      const sent = this.#sent.get(key)?.at(-1);
      if (sent === undefined) return this.#validAfter === 0 ? "new" : "unknown";
      return this.#isKnown(sent) ? sent.version : "unknown";
    });
  }

  #isAccepted(send: number): boolean {
    return this.sends.get(send)?.state === "committed";
  }

  #isKnown({ isTwice, send }: Sent): boolean {
    return !isTwice && send > this.#validAfter && this.#isAccepted(send);
  }

  #mappingOf(send: number): string {
    return mappingOf(this.sends.get(send)?.runId ?? "");
  }

  judge(
    [key, version]: Row,
    { send, now, age, way }: { send: number; now: number; age: number | undefined; way: Way },
  ): number {
    const { rejectDuplicates, full } = ways[way];
    const seen = this.#seen.get(key) ?? [];
    const all = this.#sent.get(key) ?? [];
    const sent = all.at(-1);
    const runId = this.sends.get(send)?.runId;
    const isOurs = (other: number): boolean =>
      this.sends.get(other)?.runId === runId && this.sends.get(other)?.state !== "dropped";

    const newest = Math.max(0, ...seen.filter((other) => this.#isAccepted(sendOf(other))));
    if (age !== undefined && newest > age) return verdict.superseded;
    if (rejectDuplicates && seen.some((other) => isOurs(sendOf(other)))) return verdict.duplicate;
    this.#seen.set(key, [...seen, age ?? now]);
    const after = committedAfter(runId ?? "", way) ?? 0;
    const isFresh =
      sent !== undefined && committedAt(this.sends.get(sent.send)?.runId ?? "") >= after;
    const isKnown = isFresh && this.#isKnown(sent);
    const isSame = isKnown && sent.version === version;
    if (!full && isSame) return verdict.unchanged;
    const isTwice =
      sent !== undefined &&
      (sent.isTwice ? this.sends.get(sent.send)?.runId === runId : isOurs(sent.send));
    this.#sent.set(key, [...all, { version, send, isTwice }]);
    if (sent === undefined) return verdict.new;
    if (isSame || isTwice) return verdict.again;
    if (!isKnown) return verdict.unknown;
    return this.#mappingOf(sent.send) === this.#mappingOf(send)
      ? verdict.changed
      : verdict.remapped;
  }
}

/** Whether runs are ended, and how many bits of a key's number are used: with a single bit many keys share theirs. */
type How = {
  readonly endsRuns: boolean;
  readonly numberBits: number;
  readonly open: KeyImplementation["open"];
};

type Verdicts = { readonly stored: unknown[][]; readonly ruled: unknown[][] };

/** The open staging of a lane. */
type Open = { chunk: number; stage: number; send: number; rowNumber: number };

const span = { from: null, to: null };

/** A history as it is played: one run after the other, on a store and by the rules. */
class Play {
  readonly #folder: string;
  readonly #rules = new Rules();
  readonly #verdicts: Verdicts = { stored: [], ruled: [] };
  readonly #how: How;
  readonly #open = new Map<number, Open>();
  #test: StoreUnderTest;
  #runs = 0;
  #way: Way = "once";

  private constructor(folder: string, test: StoreUnderTest, how: How) {
    this.#folder = folder;
    this.#test = test;
    this.#how = how;
  }

  /** Plays the steps. Returns the verdicts of each call, by the store and by the rules. */
  static async all(steps: readonly Step[], how: How): Promise<Verdicts> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-state-"));
    const play = new Play(folder, await openIn(folder, how), how);
    try {
      await play.#nextRun("once");
      for (const one of steps) await play.#do(one);
      return play.#verdicts;
    } finally {
      await play.#test.store.close();
      await rm(folder, { recursive: true });
    }
  }

  get #runId(): string {
    return `r${this.#runs}`;
  }

  #name(of: number): { readonly runId: string; readonly chunk: number; readonly stage: number } {
    const { chunk = 0, stage = 0 } = this.#open.get(of) ?? {};
    return { runId: this.#runId, chunk, stage };
  }

  async #do(one: Step): Promise<void> {
    if (one.do === "call") await this.#judge(one.lane, one.rows);
    else if (one.do === "nextRun") await this.#nextRun(one.way);
    else if (one.do === "commit") await this.#commit(one.lane);
    else if (one.do === "giveUp") await this.#draw(one.lane);
    else if (one.do === "giveUpSent") await this.#giveUpSent(one.lane);
    else if (one.do === "forget") {
      await this.#test.store.forgetFingerprints(name);
      this.#rules.forget();
    } else {
      await this.#test.store.close();
      this.#test = await openIn(this.#folder, this.#how);
    }
    // What a staging leaves behind is cleared away by the next one of any lane, and asks for none.
    if (one.do !== "call") await this.#compare();
  }

  /** Compares the known state of every key. */
  async #compare(): Promise<void> {
    const known = await this.#test.store.knownRecords({ ...name, keys: allKeys });
    const stored = known.map((one) => (one.state === "accepted" ? one.hash[0] : one.state));
    this.#verdicts.stored.push(stored);
    this.#verdicts.ruled.push([...this.#rules.known()]);
  }

  async #judge(of: number, rows: readonly Row[]): Promise<void> {
    const open = this.#open.get(of) ?? { rowNumber: 0, send: 0 };
    const first = open.rowNumber + 1;
    open.rowNumber += rows.length;
    const { send } = open;
    // Ages of rows that were rejected some stagings ago; a later row of a call may be the older one.
    const ages =
      this.#way === "replay"
        ? rows.map((_, index) => ageOf(Math.max(1, send - 3), (index * 3) % 5))
        : undefined;
    const { verdicts } = await this.#test.stageKeys({
      ...this.#name(of),
      ...ways[this.#way],
      mapping: mappingOf(this.#runId),
      send,
      keys: rows.map(([key]) => key),
      hashes: new Uint8Array(rows.flatMap(([, version]) => Array<number>(hashBytes).fill(version))),
      rowNumbers: Uint32Array.from(rows, (_, index) => first + index),
      ages,
      committedAfter: committedAfter(this.#runId, this.#way),
    });
    const ruled = rows.map((one, index) => {
      const now = ageOf(send, first + index);
      return this.#rules.judge(one, { send, now, age: ages?.[index], way: this.#way });
    });
    this.#verdicts.stored.push([...verdicts]);
    this.#verdicts.ruled.push(ruled);
  }

  async #nextRun(way: Way): Promise<void> {
    if (this.#runs > 0) {
      const runId = this.#runId;
      await this.#test.store.dropStagings({ runId });
      for (const { send } of this.#open.values()) this.#rules.decide(send, "dropped", false);
      this.#open.clear();
      // While a run is open, its rejects may be queried.
      const ended = { runId, outcome: "failed", endedAt: at } as const;
      if (this.#how.endsRuns) await this.#test.store.endRun(ended);
    }
    this.#runs += 1;
    this.#way = this.#how.endsRuns && way === "replay" ? "often" : way;
    const runId = this.#runId;
    await this.#test.openRun(runId, "backfill");
    const spans = lanes.map(() => span);
    await this.#test.store.putPlan({ runId, plan: examplePlan, samples: [], spans });
    for (const of of lanes) await this.#draw(of, firstChunkOf(of));
  }

  async #commit(of: number): Promise<void> {
    const { chunk, stage } = this.#name(of);
    const runId = this.#runId;
    const finished = { ...staged, keys: "[]", mapping: mappingOf(runId) };
    await this.#test.store.finishStage({ runId, chunk, stage, ...finished });
    await this.#test.accept(runId, chunk, stage);
    const commit = { runId, chunk, stage, at: new Date(committedAt(runId)).toISOString() };
    await this.#test.store.commitChunk(commit);
    this.#rules.decide(this.#open.get(of)?.send ?? 0, "committed", true);
    this.#open.delete(of);
    // A second commit changes nothing.
    await this.#test.store.commitChunk(commit);
    await this.#draw(of, chunk + 1);
  }

  /** Lets a part of a staging leave, and draws it anew. */
  async #giveUpSent(of: number): Promise<void> {
    const ref = this.#name(of);
    await this.#test.store.finishStage({ ...ref, ...staged, keys: "[]" });
    await this.#test.store.beginPart({ ...ref, part: 0, at, form: "file", host: "h" });
    this.#rules.decide(this.#open.get(of)?.send ?? 0, "dropped", true);
    await this.#draw(of);
  }

  /** Draws a staging; the previous one of the same chunk is abandoned. */
  async #draw(of: number, chunk = this.#name(of).chunk): Promise<void> {
    this.#rules.decide(this.#open.get(of)?.send ?? 0, "dropped", false);
    const runId = this.#runId;
    const drawn = await this.#test.store.beginStaging({ runId, chunk, host: "h" });
    this.#open.set(of, { ...drawn, chunk, rowNumber: 0 });
    this.#rules.sends.set(drawn.send, { runId, state: "staging" });
  }
}

async function openIn(folder: string, { open, numberBits }: How): Promise<StoreUnderTest> {
  return StoreUnderTest.of(folder, await open(folder, numberBits));
}

const hows = [
  { endsRuns: false, numberBits: 64 },
  { endsRuns: false, numberBits: 1 },
  { endsRuns: true, numberBits: 1 },
];

// On a server a history takes a hundred times as long. Fewer histories let mutants survive that few of them detect.
const histories = { sqlite: trials(30), postgres: trials(1) };

describe.each(keyImplementations)("a store of keys: $kind", ({ kind, open }) => {
  it.each(hows)("every verdict is that of the rules, whatever happened before: %j", async (how) => {
    const steps = fc.array(step, { minLength: 6, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { stored, ruled } = await Play.all(all, { ...how, open });
        expect(stored).toEqual(ruled);
      }),
      { numRuns: kind === "sqlite" ? histories.sqlite : histories.postgres },
    );
  });
});
