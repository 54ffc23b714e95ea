import { describe, expect, it } from "vitest";
import { z } from "zod";

import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import type { Harness } from "../../../support/project/harness.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { accountOf, header, plantedProject, rowOf, type PlantedAccount } from "./planted.ts";

const found = z.object({
  seed: z.int().optional(),
  looked_up: z.int(),
  calls: z.int(),
  left: z.int(),
  stopped: z.object({ code: z.string() }).optional(),
  differing: z.record(z.string(), z.int()),
  compared: z.record(z.string(), z.int()),
  incomparable: z.record(z.string(), z.int()),
  not_held: z.array(z.string()),
  same: z.int(),
  records: z.array(
    z.object({
      key: z.string(),
      verdict: z.string(),
      differing: z.array(z.unknown()).optional(),
    }),
  ),
});

async function verify(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerVerify, harness, ["verify", "accounts", ...args]);
}

async function verified(
  harness: Harness,
  ...args: readonly string[]
): Promise<z.output<typeof found> & Pick<Shown, "code" | "said">> {
  const { out, said, code } = await verify(harness, "--json", ...args);
  return { ...found.parse(JSON.parse(out.join(""))), said, code };
}

const calls = async ({ sandbox }: Harness): Promise<number> =>
  (await sandbox.ledger("search")).length;

function all(rows: number): PlantedAccount[] {
  return Array.from({ length: rows }, (_, row) => accountOf(row));
}

/** The account with other properties. */
function changed(row: number, properties: PlantedAccount["account_properties"]): PlantedAccount {
  const { account_properties: own, ...account } = accountOf(row);
  return { ...account, account_properties: { ...own, ...properties } };
}

const rows = 60;
const missing = [3, 11, 19, 27, 35, 43, 51];
const renamed = [4, 12, 20, 28];
const resized = [5, 13, 21, 29];
const twins = [6, 14, 22, 30, 38];

/** What a service holds that lost seven accounts, changed eight and found five twins. */
function twenty(): readonly PlantedAccount[] {
  return [
    ...all(rows).flatMap((account, row): PlantedAccount[] => {
      if (missing.includes(row)) return [];
      if (renamed.includes(row)) return [changed(row, { name: `Other ${row}` })];
      if (resized.includes(row)) return [changed(row, { employees: 0 })];
      // What the search never shows may be anything.
      return [row === 7 ? changed(7, { tier: "silver" }) : account];
    }),
    ...twins.map((row) => ({ ...accountOf(row), account_id: `twin-${row}` })),
  ];
}

const keysOf = ({ records }: z.output<typeof found>, verdict: string): readonly string[] =>
  records
    .filter((record) => record.verdict === verdict)
    .map(({ key }) => key)
    .toSorted();

const named = (numbers: readonly number[]): readonly string[] =>
  numbers.map((row) => `a${row}`).toSorted();

describe("sluice verify", () => {
  it("finds each of twenty differences and nothing else, with the calls that it announced", async () => {
    const harness = await plantedProject(rows, twenty());
    const result = await verified(harness, "--sample", String(rows));
    expect(keysOf(result, "missing")).toEqual(named(missing));
    expect(keysOf(result, "differs")).toEqual(named([...renamed, ...resized]));
    expect(keysOf(result, "ambiguous")).toEqual(named(twins));
    expect(result).toMatchObject({
      same: 40,
      calls: rows,
      left: 0,
      differing: { "account_properties.name": 4, "account_properties.employees": 4 },
      compared: { domain: 48, "account_properties.name": 48, "account_properties.employees": 48 },
      incomparable: { account_id: 48, "account_properties.tier": 48 },
      said: ["accounts: 60 records of 60: 60 calls, which cost credits"],
      code: 3,
    });
    expect(result.records).toHaveLength(20);
    expect(result.records.find(({ key }) => key === "a4")?.differing).toEqual([
      { field: "account_properties.name", held: "Name 4", shown: "Other 4" },
    ]);
    expect(await calls(harness)).toBe(rows);
  });

  it("draws the same records again by the same seed, and others by another", async () => {
    const harness = await plantedProject(30, []);
    const first = await verified(harness, "--sample", "8", "--seed", "7");
    await harness.write(
      "accounts.csv",
      [header, ...all(30).map((_, row) => rowOf(29 - row)), ""].join("\n"),
    );
    const second = await verified(harness, "--sample", "8", "--seed", "7");
    const other = await verified(harness, "--sample", "8", "--seed", "8");
    expect(keysOf(second, "missing")).toEqual(keysOf(first, "missing"));
    expect(keysOf(first, "missing")).toHaveLength(8);
    expect(keysOf(other, "missing")).not.toEqual(keysOf(first, "missing"));
  });
});
