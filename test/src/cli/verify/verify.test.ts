import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { registerState } from "../../../../src/cli/status/state.ts";
import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import {
  acceptAgain,
  accountOf,
  header,
  plantedProject,
  rowOf,
  type PlantedAccount,
} from "../../../support/project/planted.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";

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

/** The records of a service that lost seven accounts, changed eight and found five twins. */
function twenty(): readonly PlantedAccount[] {
  return [
    ...all(rows).flatMap((account, row): PlantedAccount[] => {
      if (missing.includes(row)) return [];
      if (renamed.includes(row)) return [changed(row, { name: `Other ${row}` })];
      if (resized.includes(row)) return [changed(row, { employees: 0 })];
      // Properties that the search never shows may have any value.
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

const csvOf = (count: number): string =>
  [header, ...all(count).map((_, row) => rowOf(row)), ""].join("\n");

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

  it("looks up no more than calls-max allows, and says what is left", async () => {
    const harness = await plantedProject(10, []);
    const result = await verified(harness, "--calls-max", "4");
    expect(result).toMatchObject({ calls: 4, looked_up: 4, left: 6, code: 3 });
    expect(await calls(harness)).toBe(4);
    const { out } = await verify(harness, "--calls-max", "4");
    expect(out.join()).toContain("not asked     6: the calls were used up");
  });

  it("asks for nothing where more keys are named than calls-max allows, or one that no row has", async () => {
    const harness = await plantedProject(3, []);
    const two = ["--key", "a0", "--key", "a1"];
    await expect(verify(harness, ...two, "--calls-max", "1")).rejects.toMatchObject({
      code: "ConfigError",
      message: "2 keys need 2 calls, and calls-max allows 1",
    });
    await expect(verify(harness, ...two, "--key", "nobody")).rejects.toMatchObject({
      code: "ConfigError",
      message: 'no row of sync accounts makes a record of the key "nobody"',
    });
    expect(await calls(harness)).toBe(0);
    expect(await verified(harness, ...two)).toMatchObject({ calls: 2, looked_up: 2 });
  });

  it("stops when the credits are used up, prints what it found, and asks for nothing the next time", async () => {
    const harness = await plantedProject(6, all(6));
    const body = { message: "Credits exhausted" };
    harness.sandbox.order("search", { status: 429, body }, { after: 2, times: 1 });
    const result = await verified(harness);
    expect(result).toMatchObject({
      same: 2,
      calls: 3,
      left: 3,
      stopped: { code: "CreditsExhausted" },
      code: 1,
    });
    await expect(verify(harness)).rejects.toMatchObject({ code: "CreditsExhausted" });
    expect(await calls(harness)).toBe(3);
  });

  it("makes no call twice that has no answer, and stops after three in a row", async () => {
    const harness = await plantedProject(6, all(6));
    harness.sandbox.order("search", { dropReply: true }, { after: 1, times: 1 });
    const one = await verified(harness);
    expect(one).toMatchObject({ same: 5, calls: 6, code: 3 });
    expect(one.records).toMatchObject([{ verdict: "unanswered" }]);
    harness.sandbox.order("search", { dropReply: true }, { times: 9 });
    expect(await verified(harness)).toMatchObject({ same: 0, calls: 3, left: 3, code: 4 });
    expect(await calls(harness)).toBe(9);
  });

  it("calls nothing missing or different that was accepted within a day", async () => {
    const harness = await plantedProject(3, [accountOf(0), changed(1, { name: "Other" })]);
    const text = [header, rowOf(0), rowOf(1), rowOf(2), ""].join("\n");
    const dayMs = 24 * 3_600_000;
    for (const [agoMs, counts] of [
      [dayMs - 60_000, { same: 1, missing: 0, differs: 0, recent: 2, code: 0 }],
      [dayMs + 60_000, { same: 1, missing: 1, differs: 1, recent: 0, code: 3 }],
    ] as const) {
      harness.clock.nowMs = Date.now() - agoMs;
      await acceptAgain(harness, text);
      const { out, code } = await verify(harness, "--json");
      const told = z.looseObject({}).parse(JSON.parse(out.join("")));
      expect({ ...told, code }).toMatchObject(counts);
    }
  });

  it("compares what was sent: a field whose row has changed since is left out, a domain not looked up", async () => {
    const harness = await plantedProject(3, all(3));
    const other = "a1,c1.example,Renamed,2,gold";
    const moved = "a2,moved.example,Name 2,3,gold";
    await harness.write(
      "accounts.csv",
      [header, rowOf(0), other, moved, "new,n.example,N,1,x", ""].join("\n"),
    );
    const result = await verified(harness);
    expect(result).toMatchObject({
      looked_up: 3,
      calls: 2,
      same: 2,
      compared: { "account_properties.name": 1, domain: 2 },
      code: 0,
    });
    const both = await verified(harness, "--key", "new", "--key", "a2");
    expect(both).toMatchObject({ calls: 0, not_held: ["new"] });
    expect(both.records).toMatchObject([{ key: "a2", verdict: "incomparable" }]);
  });

  it("does not compare fields that were adopted otherwise than they were sent, one after the other", async () => {
    const planted = await plantedProject(2, all(2));
    const before = await readFile(join(planted.folder, "sluice.yaml"), "utf8");
    const limited = before.replace("name: name", 'name: { template: "{name} Ltd" }');
    const sized = limited.replace("column: employees", "value: 7");
    let harness = planted;
    for (const [yaml, field] of [
      [limited, "account_properties.name"],
      [sized, "account_properties.employees"],
    ] as const) {
      harness = await harness.withYaml(yaml);
      const of = ["accounts", "--fields", field, "--reason", "means the same"];
      await runVerb(registerState, harness, ["state", "adopt", ...of]);
    }
    expect(await verified(harness)).toMatchObject({
      same: 2,
      differing: {},
      compared: { domain: 2 },
      incomparable: { "account_properties.name": 2, "account_properties.employees": 2 },
      code: 0,
    });
  });

  it("compares the row that was sent, not a later one of its key, which runs reject", async () => {
    const harness = await plantedProject(3, all(2));
    const others = ["a1,other.example,Other,9,gold", "a2,other.example,Other,9,gold"];
    await harness.write(
      "accounts.csv",
      [header, rowOf(0), rowOf(1), rowOf(2), ...others, ""].join("\n"),
    );
    const result = await verified(harness);
    expect(result).toMatchObject({ looked_up: 3, calls: 3, same: 2 });
    expect(keysOf(result, "missing")).toEqual(["a2"]);
  });

  it("does not take domains for others because of capital letters", async () => {
    const { domain, ...account } = accountOf(0);
    const harness = await plantedProject(1, [{ ...account, domain: domain.toUpperCase() }]);
    expect(await verified(harness)).toMatchObject({ same: 1 });
  });

  it("refuses what the search never shows, and what nothing is known of", async () => {
    const harness = await plantedProject(1, []);
    await expect(verify(harness, "--sample", "10001")).rejects.toThrow("10000 records at most");
    const yaml = accountsYaml().replace("stream: account", "stream: account_event");
    const event =
      "event_id: id, account_id: id, event: name, event_timestamp: name, event_properties: { a: id }";
    const [head = ""] = yaml.split("    record:");
    await harness.withYaml(`${head}    record: { ${event} }\n`);
    await expect(verify(harness)).rejects.toThrow(
      "events cannot be verified: the service's search never shows them",
    );
    await harness.withYaml(accountsYaml("send: all"));
    await expect(verify(harness)).rejects.toThrow("with `send: all` nothing says");
    await expect(runVerb(registerVerify, harness, ["verify", "nothing"])).rejects.toThrow(
      'there is no sync "nothing"',
    );
    expect(await calls(harness)).toBe(0);
  });

  it("does not take a look at nothing for one that found all as it was sent", async () => {
    const harness = await Harness.open({
      yaml: accountsYaml(),
      files: { "accounts.csv": csvOf(2) },
    });
    await expect(verify(harness)).rejects.toMatchObject({
      message:
        "there is nothing to verify: sync accounts reads 2 records, and nothing says that the service accepted one " +
        "of them",
      hint: "`sluice status` says whether a run has them on the way; else `sluice run accounts` sends them",
    });
    expect(await verify(harness, "--key", "a0")).toMatchObject({
      out: [
        "accounts: nothing to look up; no call was made\n" +
          "  not known a0: nothing says that the service accepted it; the next run that reads its row sends it",
      ],
      said: [],
      code: 0,
    });
    await harness.write("accounts.csv", csvOf(0));
    expect(await verify(harness)).toMatchObject({
      out: ["accounts: nothing to look up, the source gives no record; no call was made"],
      said: [],
      code: 0,
    });
    expect(await calls(harness)).toBe(0);
  });

  it("sends nothing again without a person's word", async () => {
    const harness = await plantedProject(1, []);
    await expect(verify(harness, "--resend")).rejects.toThrow("--resend needs --yes");
    expect(await calls(harness)).toBe(0);
    expect((await verified(harness)).records).toMatchObject([{ verdict: "missing" }]);
    const { state, target } = harness.deps;
    const known = await state.knownRecords({ target, sync: "accounts", keys: ["a0"] });
    expect(known).toMatchObject([{ state: "accepted" }]);
  });
});
