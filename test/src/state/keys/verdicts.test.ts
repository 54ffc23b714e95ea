// Plays random histories on a store and on the rules in their plainest form, and compares every verdict.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { expect, it } from "vitest";

import { runEffect } from "../../../../src/effect.ts";
import { hashBytes, verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { ageOf, sendOf } from "../../../../src/state/sqlite/keys/ages.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { at, name, StoreUnderTest } from "../store-under-test.ts";

/** How a run judges all that it reads. */
const ways = {
  once: { rejectDuplicates: true, full: false, dryRun: false },
  often: { rejectDuplicates: false, full: false, dryRun: false },
  full: { rejectDuplicates: true, full: true, dryRun: false },
  fullOften: { rejectDuplicates: false, full: true, dryRun: false },
  dry: { rejectDuplicates: true, full: false, dryRun: true },
  replay: { rejectDuplicates: false, full: false, dryRun: false },
} as const;

type Way = keyof typeof ways;

/** A key, and the version of its record. */
type Row = readonly [key: string, version: number];

type Step =
  | { readonly do: "call"; readonly rows: readonly Row[] }
  | { readonly do: "nextRun"; readonly way: Way }
  | { readonly do: "commit" | "giveUp" | "forget" | "reopen" };

const row = fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.integer({ min: 1, max: 2 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("call"), rows: fc.array(row, { maxLength: 6 }) }),
  },
  { weight: 4, arbitrary: fc.constant({ do: "commit" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("nextRun"),
      way: fc.constantFrom("once", "once", "often", "often", "full", "fullOften", "dry", "replay"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("giveUp", "forget", "reopen") }) },
);

type Sent = { readonly version: number; readonly send: number; readonly isTwice: boolean };

/** The rules, with everything that ever happened at hand. */
class Rules {
  readonly sends = new Map<number, { readonly runId: string; state: string }>();
  readonly #sent = new Map<string, Sent>();
  readonly #seen = new Map<string, number[]>();
  #validAfter = 0;

  forget(): void {
    this.#validAfter = Math.max(...this.sends.keys());
  }

  judge(
    [key, version]: Row,
    { send, now, age, way }: { send: number; now: number; age: number | undefined; way: Way },
  ): number {
    const { rejectDuplicates, full, dryRun } = ways[way];
    const seen = this.#seen.get(key) ?? [];
    const sent = this.#sent.get(key);
    const runId = this.sends.get(send)?.runId;
    const isAccepted = (other: number): boolean => this.sends.get(other)?.state === "committed";
    const isOurs = (other: number): boolean =>
      this.sends.get(other)?.runId === runId && this.sends.get(other)?.state !== "dropped";

    const newest = Math.max(0, ...seen.filter((other) => isAccepted(sendOf(other))));
    if (age !== undefined && newest > age) return verdict.superseded;
    if (rejectDuplicates && seen.some((other) => isOurs(sendOf(other)))) return verdict.duplicate;
    this.#seen.set(key, [...seen, age ?? now]);
    const isKnown =
      sent !== undefined && !sent.isTwice && sent.send > this.#validAfter && isAccepted(sent.send);
    if (!full && isKnown && sent.version === version) return verdict.unchanged;
    if (dryRun) return verdict.send;
    const isTwice =
      sent !== undefined &&
      (sent.isTwice ? this.sends.get(sent.send)?.runId === runId : isOurs(sent.send));
    this.#sent.set(key, { version, send, isTwice });
    return verdict.send;
  }
}

/** Whether runs are ended, and how much of a key's number is used: of a single bit many keys share theirs. */
type How = { readonly endsRuns: boolean; readonly numberBits: number };

type Verdicts = { readonly stored: number[][]; readonly ruled: number[][] };

/** A history as it is played: of one run after the other, on a store and by the rules. */
class Play {
  readonly #folder: string;
  readonly #rules = new Rules();
  readonly #verdicts: Verdicts = { stored: [], ruled: [] };
  readonly #how: How;
  #test: StoreUnderTest;
  #runs = 0;
  #way: Way = "once";
  #chunk = 1;
  #rowNumber = 0;
  #drawn = { stage: 0, send: 0 };

  private constructor(folder: string, test: StoreUnderTest, how: How) {
    this.#folder = folder;
    this.#test = test;
    this.#how = how;
  }

  /** Plays the steps: the verdicts of each call, by the store and by the rules. */
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

  get #name(): { readonly runId: string; readonly chunk: number; readonly stage: number } {
    return { runId: `r${this.#runs}`, chunk: this.#chunk, stage: this.#drawn.stage };
  }

  async #do(one: Step): Promise<void> {
    if (one.do === "call") await this.#judge(one.rows);
    else if (one.do === "nextRun") await this.#nextRun(one.way);
    else if (one.do === "commit") await this.#commit();
    else if (one.do === "giveUp") await this.#draw();
    else if (one.do === "forget") {
      await this.#test.store.forgetFingerprints(name);
      this.#rules.forget();
    } else {
      await this.#test.store.close();
      this.#test = await openIn(this.#folder, this.#how);
    }
  }

  async #judge(rows: readonly Row[]): Promise<void> {
    const first = this.#rowNumber + 1;
    this.#rowNumber += rows.length;
    const { send } = this.#drawn;
    // Of rows that were rejected some stagings ago; a later one of a call may be the older one.
    const ages =
      this.#way === "replay"
        ? rows.map((_, index) => ageOf(Math.max(1, send - 3), (index * 3) % 5))
        : undefined;
    const stored = await this.#test.judge({
      ...this.#name,
      ...ways[this.#way],
      send,
      keys: rows.map(([key]) => key),
      hashes: new Uint8Array(rows.flatMap(([, version]) => Array<number>(hashBytes).fill(version))),
      rowNumbers: Uint32Array.from(rows, (_, index) => first + index),
      ages,
    });
    const ruled = rows.map((one, index) => {
      const now = ageOf(send, first + index);
      return this.#rules.judge(one, { send, now, age: ages?.[index], way: this.#way });
    });
    this.#verdicts.stored.push(stored);
    this.#verdicts.ruled.push(ruled);
  }

  async #nextRun(way: Way): Promise<void> {
    if (this.#runs > 0) {
      const { runId } = this.#name;
      await this.#test.store.dropStagings({ runId });
      this.#decide("dropped");
      // As long as a run is open, what it rejects may be asked for.
      const ended = { runId, outcome: "failed", endedAt: at } as const;
      if (this.#how.endsRuns) await this.#test.store.endRun(ended);
    }
    this.#runs += 1;
    this.#chunk = 1;
    this.#way = this.#how.endsRuns && way === "replay" ? "often" : way;
    await this.#test.openRun(this.#name.runId);
    await this.#draw();
  }

  async #commit(): Promise<void> {
    await this.#test.commit(this.#name, { keys: "[]" });
    this.#decide("committed");
    this.#chunk += 1;
    await this.#draw();
  }

  /** Draws a staging; the one before it of the same chunk is given up. */
  async #draw(): Promise<void> {
    this.#decide("dropped");
    const { runId, chunk } = this.#name;
    this.#drawn = await this.#test.store.beginStaging({ runId, chunk, host: "h" });
    this.#rules.sends.set(this.#drawn.send, { runId, state: "staging" });
    this.#rowNumber = 0;
  }

  #decide(state: string): void {
    const sent = this.#rules.sends.get(this.#drawn.send);
    if (sent?.state === "staging") sent.state = state;
  }
}

async function openIn(folder: string, { numberBits }: How): Promise<StoreUnderTest> {
  return StoreUnderTest.of(folder, await openStoreInline(folder, runEffect, numberBits));
}

it.each([
  { endsRuns: false, numberBits: 64 },
  { endsRuns: true, numberBits: 64 },
  { endsRuns: false, numberBits: 8 },
  { endsRuns: false, numberBits: 1 },
  { endsRuns: true, numberBits: 1 },
])("every verdict is that of the rules, whatever happened before: %j", async (how) => {
  const steps = fc.array(step, { minLength: 6, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { stored, ruled } = await Play.all(all, how);
      expect(stored).toEqual(ruled);
    }),
    { numRuns: 60 },
  );
});
