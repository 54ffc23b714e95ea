// Plays random histories on a store and on the rules in their plainest form, and compares every verdict.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import { hashBytes } from "../../../../src/state/contract/keys/fingerprints.ts";
import { ageOf } from "../../../../src/state/rules/keys/ages.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { trials } from "../../../support/trials.ts";
import {
  committedAfter,
  committedAt,
  mappingOf,
  type Row,
  Rules,
  type Way,
  ways,
} from "../rules/verdict-rules.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";
import { type KeyImplementation, keyImplementations } from "./key-implementations.ts";

/** Two lanes of a run stage concurrently; `giveUpSent` abandons a staging that was sent and not accepted. */
type Step =
  | { readonly do: "call"; readonly lane: number; readonly rows: readonly Row[] }
  | { readonly do: "nextRun"; readonly way: Way }
  | { readonly do: "commit" | "giveUp" | "giveUpSent"; readonly lane: number }
  | { readonly do: "forget" | "reopen" };

const lanes = [1, 2];
const lane = fc.constantFrom(1, 1, 2);

const names = ["a", "b", "c", "d", "e"];

const row = fc.tuple(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 }));
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

/** Some rows for one: most of them have the first version, whatever the version of that one. */
function someFor([key, version]: Row, rowsEach: number): Row[] {
  return Array.from({ length: rowsEach }, (_, index) => [
    `${key}${index}`,
    index % 50 === 0 ? version : 1,
  ]);
}

type How = {
  readonly endsRuns: boolean;
  /** How many bits of a key's number are used: with a single bit many keys share theirs. */
  readonly numberBits: number;
  /** How many rows there are for one of a history: with more than a block has, keys are known block by block. */
  readonly rowsEach: number;
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
    const { rowsEach } = this.#how;
    const rowsOf = (rows: readonly Row[]) => rows.flatMap((each) => someFor(each, rowsEach));
    if (one.do === "call") await this.#judge(one.lane, rowsOf(one.rows));
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
    const { rowsEach } = this.#how;
    const keys = names.flatMap((key) => someFor([key, 1], rowsEach).map(([one]) => one));
    const known = await this.#test.store.knownRecords({ ...name, keys });
    const stored = known.map((one) => (one.state === "accepted" ? one.hash[0] : one.state));
    this.#verdicts.stored.push(stored);
    this.#verdicts.ruled.push([...this.#rules.known(keys)]);
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
  { endsRuns: false, numberBits: 64, rowsEach: 1 },
  { endsRuns: false, numberBits: 1, rowsEach: 1 },
  { endsRuns: true, numberBits: 1, rowsEach: 1 },
  { endsRuns: false, numberBits: 64, rowsEach: 100 },
];

/** What was sent in the run before is too old for this one; random histories seldom show it. */
const tooOld: readonly Step[] = [
  { do: "call", lane: 1, rows: [["a", 1]] },
  { do: "commit", lane: 1 },
  { do: "nextRun", way: "resendAfter" },
  { do: "call", lane: 1, rows: [["a", 1]] },
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
      {
        numRuns: kind === "sqlite" ? histories.sqlite : histories.postgres,
        examples: [[[...tooOld]]],
      },
    );
  });
});
