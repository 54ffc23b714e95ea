// Plays random nights on a store, and counts separately, from both states side by side, why each record is sent.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ChangeCounts } from "../../../src/pipeline/change-counts.ts";
import { dropUnchanged } from "../../../src/pipeline/changed.ts";
import { FieldHasher } from "../../../src/pipeline/fields/field-hashes.ts";
import { type Changes, noChanges } from "../../../src/state/contract/sends/changes.ts";
import type { StageName } from "../../../src/state/contract/sends/stagings.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";
import { collect, streamOf } from "../../support/sequences.ts";
import { trials } from "../../support/trials.ts";
import { at, name, staged, StoreUnderTest } from "../state/store-under-test.ts";
import { linePage, makeReject } from "./support.ts";

const fieldNames = ["name", "size", 'naïve "quoted"'] as const;
const keys = ["a", "b", "c", "d"] as const;

/** Values by field; null leaves the field out. */
type Fields = readonly (number | null)[];

/** What one night reads, by key; null for a key that it does not have. `ends` says how it ends. */
type Night = {
  readonly rows: readonly (Fields | null)[];
  readonly mapping: string;
  readonly full: boolean;
  readonly ends: "commit" | "dropped" | "left";
};

const fields = fc.tuple(...fieldNames.map(() => fc.constantFrom(1, 1, 1, 2, null)));
const anyNight: fc.Arbitrary<Night> = fc.record({
  rows: fc.tuple(...keys.map(() => fc.option(fields, { freq: 6 }))),
  mapping: fc.constantFrom("m1", "m1", "m2"),
  full: fc.constantFrom(false, false, false, true),
  ends: fc.constantFrom("commit", "commit", "commit", "dropped", "left"),
});

const paths = fieldNames.map((field) => `account_properties.${field}`);

function lineOf(key: string, values: Fields): string {
  const held = fieldNames.flatMap((field, at_) => {
    const value = values[at_] ?? null;
    return value === null ? [] : [[field, value] as const];
  });
  const properties = Object.fromEntries(held);
  return JSON.stringify({ type: "account", account_id: key, account_properties: properties });
}

/** What the service holds for a key; `unknown` if nobody knows. */
type Held = { readonly values: Fields; readonly mapping: string } | "unknown";

/** Both states, side by side: what the service holds, and what a night reads. */
class Oracle {
  readonly #held = new Map<string, Held>();
  /** Mappings with records that it holds and that no later night is known to have mapped anew. */
  readonly #mappings = new Set<string>();

  /** Compares what is held with what a night sends, field by field, and applies the night's end. */
  next(night: Night): Changes {
    const counts = { ...noChanges, fields: { ...noChanges.fields } };
    const sent = new Map<string, Held>();
    for (const [index, key] of keys.entries()) {
      const values = night.rows[index] ?? null;
      if (values === null || !this.#count(counts, { key, values, night })) continue;
      sent.set(key, night.ends === "left" ? "unknown" : { values, mapping: night.mapping });
    }
    if (night.ends !== "dropped") for (const [key, held] of sent) this.#held.set(key, held);
    if (night.ends !== "commit") return counts;
    if (sent.size > 0) this.#mappings.add(night.mapping);
    for (const mapping of this.#mappings) {
      if (mapping !== night.mapping) this.#mappings.delete(mapping);
    }
    return counts;
  }

  /** Counts a record, and returns whether it is sent. */
  #count(
    counts: {
      -readonly [Name in keyof Omit<Changes, "examples">]: Name extends "fields"
        ? Record<string, number>
        : number;
    },
    {
      key,
      values,
      night,
    }: { readonly key: string; readonly values: Fields; readonly night: Night },
  ): boolean {
    const held = this.#held.get(key);
    if (held === undefined) counts.new += 1;
    else if (held === "unknown") counts.unknown += 1;
    else {
      const differing = paths.filter((_, field) => values[field] !== held.values[field]);
      if (differing.length === 0) {
        if (night.full) counts.again += 1;
        return night.full;
      }
      counts.changed += 1;
      if (held.mapping !== night.mapping && this.#mappings.has(held.mapping)) counts.remapped += 1;
      for (const path of differing) counts.fields[path] = (counts.fields[path] ?? 0) + 1;
    }
    return true;
  }
}

const budget = {
  enter: () => undefined,
  leave: () => undefined,
  canReadAhead: () => true,
  isFull: () => false,
};

/** A night as a run stages it: what it counts, and the keys that it sends. */
async function stage(
  { store }: StoreUnderTest,
  { rows, mapping, full }: Night,
  of: StageName & { readonly send: number },
): Promise<{ readonly counted: Changes; readonly sent: readonly string[] }> {
  const counts = new ChangeCounts();
  const lines = keys.flatMap((key, index) => {
    const values = rows[index] ?? null;
    return values === null ? [] : [[key, lineOf(key, values)] as const];
  });
  const { runId, chunk, stage: number } = of;
  const ref = { runId, chunk, stage: number };
  const add = async (names: readonly string[]): Promise<readonly string[]> =>
    await store.fieldSlots({ ...name, names });
  const pages = dropUnchanged(streamOf([linePage(lines)]), store, {
    settings: { ...name, ...of, full, mapping, rejectDuplicates: true },
    makeReject,
    budget,
    counts,
    fields: {
      hasher: new FieldHasher("account", add),
      keep: async (hashes) => await store.keepFields({ ...name, ...ref, ...hashes }),
    },
  });
  const [page] = await collect(pages);
  return { counted: counts.all(), sent: page?.candidates.map(({ key }) => key) ?? [] };
}

/** The counts of each night. */
async function play(test: StoreUnderTest, nights: readonly Night[]): Promise<Changes[]> {
  const all: Changes[] = [];
  for (const [index, night] of nights.entries()) {
    const runId = `r${index}`;
    await test.openRun(runId);
    const drawn = await test.store.beginStaging({ runId, chunk: 1, host: "h" });
    const ref = { runId, chunk: 1, stage: drawn.stage };
    const { counted, sent } = await stage(test, night, { ...ref, send: drawn.send });
    all.push(counted);
    const { mapping } = night;
    const finished = { keys: JSON.stringify(sent), mapping };
    if (night.ends === "commit") await test.commit(ref, finished);
    if (night.ends === "left") {
      await test.store.finishStage({ ...ref, ...staged, ...finished });
      await test.store.beginPart({ ...ref, part: 0, at, form: "file", host: "h" });
    }
    await test.store.dropStagings({ runId });
    await test.store.endRun({ runId, outcome: "done", endedAt: at });
    if (night.ends === "commit") await test.store.forgetOlderMappings({ ...name, mapping });
  }
  return all;
}

/** A record that a second mapping read unchanged after the first, and that changes afterwards. */
const settled = [
  { mapping: "m1", rows: [[1, 1, 1]] },
  {
    mapping: "m2",
    rows: [
      [1, 1, 1],
      [1, 1, 1],
    ],
  },
  { mapping: "m2", rows: [[2, 1, 1]] },
].map((one): Night => ({ ...one, full: false, ends: "commit" }));

/** A record without any field, which gets some afterwards. */
const filled = [
  [null, null, null],
  [1, 1, 1],
].map((row): Night => ({ mapping: "m1", rows: [row], full: false, ends: "commit" }));

describe("what is counted of changes", () => {
  it("is what both states differ in, field by field, whatever became of earlier nights", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyNight, { minLength: 2, maxLength: 6 }), async (nights) => {
        const folder = await mkdtemp(join(tmpdir(), "sluice-changes-"));
        const test = StoreUnderTest.of(folder, await openStoreInline(folder));
        try {
          const oracle = new Oracle();
          const ruled = nights.map((one) => oracle.next(one));
          expect(await play(test, nights)).toEqual(ruled);
        } finally {
          await test.store.close();
          await rm(folder, { recursive: true });
        }
      }),
      { numRuns: trials(15), examples: [[settled], [filled]] },
    );
  });
});
