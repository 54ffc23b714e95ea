import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fieldHashesOf, FieldHasher } from "../../../../src/pipeline/fields/field-hashes.ts";
import { blockOfLine, type LineBlock } from "../../../../src/pipeline/fields/field-program.ts";
import { fieldSlotsMax } from "../../../../src/state/limits.ts";
import { numbers } from "../../../support/sequences.ts";
import { trials } from "../../../support/trials.ts";

function account(properties: object, domain: unknown = "a.example"): Buffer {
  const record = { type: "account", account_id: "a", domain, account_properties: properties };
  return Buffer.from(JSON.stringify(record));
}

function fieldHash(value: unknown): number {
  return fieldHashesOf(account({ value }), "account").get("account_properties.value") ?? -1;
}

/** A hasher on slots that are assigned as the store does, and what it asked for. */
function hasherOn(max = fieldSlotsMax): {
  readonly hasher: FieldHasher;
  readonly asked: string[][];
  readonly slots: string[];
} {
  const [asked, slots]: [string[][], string[]] = [[], []];
  const hasher = new FieldHasher("account", async (names) => {
    asked.push([...names]);
    for (const name of names) if (!slots.includes(name) && slots.length < max) slots.push(name);
    return slots;
  });
  return { hasher, asked, slots };
}

describe("the hash of a field", () => {
  it("tells values apart, and kinds of values", () => {
    const values = [
      "",
      "1",
      1,
      -1,
      1.5,
      true,
      "true",
      null,
      "null",
      {},
      [],
      [1],
      { a: 1 },
      "é",
      "e",
    ];
    const hashes = values.map(fieldHash);
    expect(new Set(hashes).size).toBe(values.length);
    expect(hashes.every((hash) => hash > 0 && hash < 2 ** 32 && Number.isInteger(hash))).toBe(true);
    expect(values.map(fieldHash)).toEqual(hashes);
  });

  it("changes with any character of a text", () => {
    const texts = numbers(200).map((at) => `${"x".repeat(at)}y${"x".repeat(199 - at)}`);
    expect(new Set(texts.map(fieldHash)).size).toBe(200);
  });
});

describe("hash of FieldHasher", () => {
  it("puts the hash of each field into its slot, and 0 where a record has none", async () => {
    const { hasher, asked, slots } = hasherOn();
    const records = [account({ name: "A" }), account({ size: 3, gone: undefined })];
    const { fieldBytes, hashes } = await hasher.hash(records.map(blockOfLine));
    expect(slots).toEqual(["domain", "account_properties.name", "account_properties.size"]);
    expect(fieldBytes).toBe(12);
    const [domain, name, size] = ["a.example", "A", 3].map(fieldHash);
    expect([...new Uint32Array(hashes.buffer)]).toEqual([domain, name, 0, domain, 0, size]);
    await hasher.hash(records.map(blockOfLine));
    expect(asked).toHaveLength(2);
  });

  it("keeps a property apart that is called as a field is", async () => {
    const { hasher, slots } = hasherOn();
    const both = account({ domain: "other" });
    const without = { type: "account", account_id: "b", account_properties: { domain: "other" } };
    const lines = [both, Buffer.from(JSON.stringify(without))];
    const { hashes } = await hasher.hash(lines.map(blockOfLine));
    expect(slots).toEqual(["domain", "account_properties.domain"]);
    const [domain, other] = ["a.example", "other"].map(fieldHash);
    expect([...new Uint32Array(hashes.buffer)]).toEqual([domain, other, 0, other]);
  });

  it("finds a field that one of many lines has", async () => {
    const { hasher, asked, slots } = hasherOn();
    const lines = numbers(3_000).map((at) => account(at === 1_501 ? { rare: at } : { often: at }));
    const { hashes } = await hasher.hash([blockOf(lines, () => true)]);
    expect(slots).toEqual(["domain", "account_properties.often", "account_properties.rare"]);
    const [domain, rare] = ["a.example", 1_501].map(fieldHash);
    const words = [...new Uint32Array(hashes.buffer)];
    expect(words.slice(1_501 * 3, 1_502 * 3)).toEqual([domain, 0, rare]);
    expect(words.filter((_, at) => at % 3 === 2 && at !== 1_501 * 3 + 2)).not.toContain(rare);
    expect(asked).toHaveLength(3);
  });

  it.each([fieldSlotsMax - 1, fieldSlotsMax, fieldSlotsMax + 1])(
    "gives %i fields slots as far as there are some, and asks no more once they are taken",
    async (fields) => {
      const { hasher, asked, slots } = hasherOn();
      const named = (prefix: string): object =>
        Object.fromEntries(numbers(fields - 1).map((field) => [`${prefix}${field}`, field]));
      const { fieldBytes } = await hasher.hash([blockOfLine(account(named("f")))]);
      expect(fieldBytes).toBe(Math.min(fields, fieldSlotsMax) * 4);
      await hasher.hash([blockOfLine(account(named("f")))]);
      await hasher.hash([blockOfLine(account({ more: 1 }))]);
      expect(asked.length).toBe(fields < fieldSlotsMax ? 3 : 2);
      expect(slots.length).toBe(Math.min(fields + 1, fieldSlotsMax));
    },
  );
});

/** Some of these lines, which follow one another as in a page. */
function blockOf(lines: readonly Buffer[], isThere: (index: number) => boolean): LineBlock {
  const places: number[] = [];
  let at = 0;
  for (const [index, { length }] of lines.entries()) {
    if (isThere(index)) places.push(at, at + length);
    at += length + 1;
  }
  return { bytes: Buffer.from(lines.join("\n")), places: Uint32Array.from(places) };
}

/** Names of about as many bytes as are compared at a time, some with a common prefix. */
const longNames = [15, 16, 17, 18].map((chars) => "x".repeat(chars)).concat(`${"x".repeat(16)}y`);

describe("hash of FieldHasher and fieldHashesOf", () => {
  it("say the same of all lines", async () => {
    const name = fc.oneof(fc.constantFrom("domain", "name", 'a"b', "", "é", ...longNames));
    const record = fc.record({
      domain: fc.oneof(fc.string(), fc.constant(undefined)),
      account_properties: fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 9 }), fc.nat(3), async (records, left) => {
        const { hasher, slots } = hasherOn();
        const lines = records.map((fields, index) =>
          Buffer.from(JSON.stringify({ type: "account", account_id: `${index}`, ...fields })),
        );
        const isThere = (index: number): boolean => index % 4 !== left;
        const blocks = [blockOf(lines, isThere), ...lines.map(blockOfLine)];
        const { hashes, fieldBytes } = await hasher.hash(blocks);
        expect(fieldBytes).toBe(4 * slots.length);
        const expected = [...lines.filter((_, index) => isThere(index)), ...lines].flatMap(
          (line) => {
            const found = fieldHashesOf(line, "account");
            return slots.map((slot) => found.get(slot) ?? 0);
          },
        );
        expect([...new Uint32Array(hashes.buffer)]).toEqual(expected);
      }),
      { numRuns: trials(200) },
    );
  });
});

describe("fieldHashesOf", () => {
  it("finds the fields that parsing finds, whatever their names and values hold", () => {
    const name = fc.oneof(fc.constantFrom("domain", "account_id", 'a"b', "", "}"), fc.string());
    const values = fc.dictionary(name, fc.jsonValue(), { maxKeys: 6 });
    fc.assert(
      fc.property(values, values, fc.boolean(), (properties, others, comesLast) => {
        const record = {
          ...others,
          ...(comesLast ? { type: "account", account_id: "a" } : {}),
          domain: others["domain"] ?? "d",
          account_properties: properties,
          ...(comesLast ? {} : { type: "account", account_id: "a" }),
        };
        const found = fieldHashesOf(Buffer.from(JSON.stringify(record)), "account");
        const expected = new Map<string, unknown>([
          ["domain", record.domain],
          ...Object.entries(properties).map(
            ([field, value]) => [`account_properties.${field}`, value] as const,
          ),
        ]);
        expect(new Set(found.keys())).toEqual(new Set(expected.keys()));
        for (const [path, value] of expected) expect(found.get(path)).toBe(fieldHash(value));
      }),
      { numRuns: trials(200) },
    );
  });

  it("names every field by its path but the key", () => {
    const record = account({ name: "A", "": 1 });
    expect(fieldHashesOf(record, "account")).toEqual(
      new Map([
        ["domain", fieldHash("a.example")],
        ["account_properties.name", fieldHash("A")],
        ["account_properties.", fieldHash(1)],
      ]),
    );
  });
});
