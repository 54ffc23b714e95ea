import { describe, expect, it } from "vitest";

import { dropUnchanged } from "../../../src/pipeline/changed.ts";
import { FieldHasher, fieldHashesOf } from "../../../src/pipeline/fields/field-hashes.ts";
import { LostFields } from "../../../src/pipeline/lost-fields.ts";
import type { RecordPage } from "../../../src/pipeline/page.ts";
import {
  hashBytes,
  verdict,
  type JudgedKeys,
  type KeysToStage,
} from "../../../src/state/contract/keys/fingerprints.ts";
import { textBlockOf } from "../../../src/state/text-block.ts";
import { collect, numbers, streamOf } from "../../support/sequences.ts";
import { isBalanced, linePage, makeReject, textsOf } from "./support.ts";

const settings = {
  target: "t",
  sync: "s",
  runId: "r",
  chunk: 1,
  stage: 1,
  send: 1,
  full: false,
  rejectDuplicates: true,
} as const;

/** A budget without limits that records which pages enter. */
function openBudget(): {
  readonly entered: RecordPage[];
  readonly budget: Parameters<typeof dropUnchanged>[2]["budget"];
} {
  const entered: RecordPage[] = [];
  const budget = {
    enter: (page: RecordPage): void => void entered.push(page),
    leave: () => undefined,
    canReadAhead: () => true,
    isFull: () => false,
  };
  return { entered, budget };
}

function pageOf(...keys: readonly string[]): RecordPage {
  return linePage(keys.map((key) => [key, `"line of ${key}"`] as const));
}

function isKnown(key: string): boolean {
  return key.endsWith("7");
}

/** A page of rows that the mapping left out. */
function filteredPage(): RecordPage {
  return { ...pageOf(), read: 1_000, filtered: 1_000 };
}

async function judgeLate({ keys }: KeysToStage): Promise<JudgedKeys> {
  await new Promise((resolve) => setImmediate(resolve));
  const verdicts = Uint8Array.from(textsOf(keys), (key) =>
    isKnown(key) ? verdict.unchanged : verdict.new,
  );
  return { verdicts, leaving: new Int32Array() };
}

function keysOf(page: number): string[] {
  return numbers(1_500).map((row) => `p${page}r${row}`);
}

describe("dropUnchanged", () => {
  it("holds no more pages back when none of their rows became a record", async () => {
    const { budget, entered } = openBudget();
    const pages = streamOf(numbers(1_000).map(filteredPage));
    const how = { settings, makeReject, budget };
    const first = await dropUnchanged(pages, { stageKeys: judgeLate }, how).next();
    expect(first.done).toBe(false);
    expect(entered.length).toBeLessThanOrEqual(20);
  });

  it("asks for each line by its key and hash, and does as it is told", async () => {
    const asked: KeysToStage[] = [];
    const stageKeys = async (input: KeysToStage): Promise<JudgedKeys> => {
      asked.push(input);
      const verdicts = Uint8Array.of(verdict.new, verdict.unchanged, verdict.duplicate);
      return { verdicts, leaving: new Int32Array() };
    };
    const how = { settings, makeReject, budget: openBudget().budget };
    const [page] = await collect(
      dropUnchanged(streamOf([pageOf("a", "b", "c")]), { stageKeys }, how),
    );
    expect(asked).toMatchObject([{ ...settings, keys: textBlockOf(["a", "b", "c"]) }]);
    expect(page).toMatchObject({ read: 3, unchanged: 1 });
    expect(page?.candidates.map(({ key }) => key)).toEqual(["a"]);
    expect(page?.rejects).toMatchObject([
      { place: "a.csv:4", step: "duplicate", code: "duplicate_key", key: "c" },
    ]);
    expect(page !== undefined && isBalanced(page)).toBe(true);
  });

  it("asks nothing of lines that are sent once more, and says which keys they were of", async () => {
    const asked: KeysToStage[] = [];
    const stageKeys = async (input: KeysToStage): Promise<JudgedKeys> => {
      asked.push(input);
      return await judgeLate(input);
    };
    const again = pageOf("a", "b7");
    const pages = [
      { ...again, source: { ...again.source, isAgain: true } },
      pageOf("b7", "a", "c"),
    ];
    const how = { settings, makeReject, budget: openBudget().budget };
    const [sent, judged] = await collect(dropUnchanged(streamOf(pages), { stageKeys }, how));
    expect(sent?.candidates.map(({ key }) => key)).toEqual(["a", "b7"]);
    expect(judged?.candidates.map(({ key }) => key)).toEqual(["a", "c"]);
    expect(asked).toMatchObject([
      { keys: textBlockOf(["b7", "a", "c"]), again: [true, true, false] },
    ]);
  });

  it("hashes lines to what only equal lines share", async () => {
    const hashes: string[] = [];
    const stageKeys = async (input: KeysToStage): Promise<JudgedKeys> => {
      const all = Buffer.from(input.hashes);
      for (let from = 0; from < all.length; from += hashBytes) {
        hashes.push(all.toString("hex", from, from + hashBytes));
      }
      return { verdicts: new Uint8Array(input.keys.ends.length), leaving: new Int32Array() };
    };
    const pages = [
      linePage([
        ["a", '"one"'],
        ["b", '"two"'],
      ]),
      linePage([
        ["c", '"one"'],
        ["d", '"öne"'],
      ]),
    ];
    const how = { settings, makeReject, budget: openBudget().budget };
    await collect(dropUnchanged(streamOf(pages), { stageKeys }, how));
    const [first, second, third, fourth] = hashes;
    expect(hashes).toHaveLength(4);
    expect(third).toBe(first);
    expect(new Set([first, second, fourth]).size).toBe(3);
  });

  it("keeps the fields of the records that leave, and of no others", async () => {
    const verdicts = Uint8Array.of(verdict.changed, verdict.unchanged, verdict.new);
    const leaving = Int32Array.of(7, -9);
    const lines = ["a", "b", "c"].map((key) => `{"account_id":"${key}","domain":"${key}.example"}`);
    const page = linePage(lines.map((line, index) => [`k${index}`, line] as const));
    const domains = lines.map((line) => fieldHashesOf(Buffer.from(line), "account").get("domain"));
    const hasher = new FieldHasher("account", async () => ["domain"]);
    const kept: unknown[] = [];
    const fields: NonNullable<Parameters<typeof dropUnchanged>[2]["fields"]> = {
      hasher,
      keep: async (hashes) => {
        kept.push(hashes);
        return [{ slot: 0, changed: 1, lost: 1, firstLost: 1 }];
      },
    };
    const lost = new LostFields();
    const how = { settings, makeReject, budget: openBudget().budget, fields, lost };
    await collect(
      dropUnchanged(streamOf([page]), { stageKeys: async () => ({ verdicts, leaving }) }, how),
    );
    const hashes = Uint32Array.of(domains[0] ?? 0, domains[2] ?? 0);
    expect(kept).toEqual([
      {
        ids: Int32Array.of(7, -9),
        verdicts: Uint8Array.of(verdict.changed, verdict.new),
        fieldBytes: 4,
        hashes: new Uint8Array(hashes.buffer),
      },
    ]);
    expect(lost.warnings(true)).toEqual([expect.stringMatching(/^domain was .* such as a.csv:4:/)]);
  });

  it("asks for the fields of some pages before the keys of the next, which would keep them waiting", async () => {
    const calls: string[] = [];
    const stageKeys = async ({ keys }: KeysToStage): Promise<JudgedKeys> => {
      calls.push(`keys of ${textsOf(keys)[0]}`);
      await new Promise((resolve) => setImmediate(resolve));
      const verdicts = new Uint8Array(keys.ends.length);
      return { verdicts, leaving: new Int32Array(verdicts.length).fill(-1) };
    };
    const fields: NonNullable<Parameters<typeof dropUnchanged>[2]["fields"]> = {
      hasher: new FieldHasher("account", async () => ["domain"]),
      keep: async ({ ids }) => {
        calls.push(`fields of ${ids.length}`);
        return [];
      },
    };
    const line = '{"account_id":"a"}';
    const pages = ["a", "b", "c"].map((page) =>
      linePage(numbers(10_000).map((row) => [`${page}${row}`, line] as const)),
    );
    const how = { settings, makeReject, budget: openBudget().budget, fields };
    await collect(dropUnchanged(streamOf(pages), { stageKeys }, how));
    const kept = "fields of 10000";
    expect(calls).toEqual(["keys of a0", kept, "keys of b0", kept, "keys of c0", kept]);
  });

  it("keeps the order of pages, and gives each key its own verdict, however many are asked at once", async () => {
    const pages = numbers(30).map((page) => pageOf(...keysOf(page)));
    const { entered, budget } = openBudget();
    const judged = await collect(
      dropUnchanged(streamOf(pages), { stageKeys: judgeLate }, { settings, makeReject, budget }),
    );
    expect(judged).toEqual(pages);
    expect(entered).toEqual(pages);
    expect(judged.map((page) => page.candidates.map(({ key }) => key))).toEqual(
      numbers(30).map((page) => keysOf(page).filter((key) => !isKnown(key))),
    );
  });

  it("fails at the turn of the page that could not be judged, and loses none before it", async () => {
    const down = new Error("the store is away");
    const stageKeys = async ({ keys }: KeysToStage): Promise<JudgedKeys> => {
      if (textsOf(keys).includes("b")) throw down;
      return { verdicts: new Uint8Array(keys.ends.length), leaving: new Int32Array() };
    };
    const pages = ["a", "b", "c"].map((key) => pageOf(key));
    const yielded: RecordPage[] = [];
    const consume = async (): Promise<void> => {
      const budget = { ...openBudget().budget, canReadAhead: () => false };
      const how = { settings, makeReject, budget };
      for await (const page of dropUnchanged(streamOf(pages), { stageKeys }, how)) {
        yielded.push(page);
      }
    };
    await expect(consume()).rejects.toBe(down);
    expect(yielded).toEqual(pages.slice(0, 1));
  });
});
