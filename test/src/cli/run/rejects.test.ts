import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { rejectCsv, rejectJson } from "../../../../src/cli/run/reject-text.ts";
import { registerRejects } from "../../../../src/cli/run/rejects.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const reject = {
  runId: "r",
  chunk: 1,
  ordinal: 1,
  stream: "account",
  place: "x",
  key: null,
  step: "map",
  code: "c",
  field: null,
  reason: "r",
  createdAt: "",
  replayedBy: null,
  superseded: false,
  isOpen: true,
};

function json(row: string | null): string {
  return rejectJson({ ...reject, row });
}

/** The output of `sluice rejects …`. */
async function said({ folder, sandbox }: Harness, ...args: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const environment = readEnvironment({
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const say = (text: string): void => void lines.push(text);
  const program = new Command().exitOverride();
  registerRejects(program, { cwd: folder, environment, print: say, say, exit: () => undefined });
  await program.parseAsync(["rejects", ...args], { from: "user" });
  return lines;
}

describe("sluice rejects list", () => {
  it("finds the rejects of a key or a code, and those since a time, in every run", async () => {
    const rows = "id,domain,name\na,a.example,A\nb,,B\na,b.example,C\n";
    const harness = await Harness.open({ yaml: accountsYaml(), files: { "accounts.csv": rows } });
    await (await TestRun.open(harness, { runId: "run-1" })).transfer();
    await harness.write("accounts.csv", `${rows}d,,D\n`);
    await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    const [b, c] = [
      "accounts.csv:3: domain is required, and empty (key b)",
      expect.stringMatching(/^accounts\.csv:[24]: .* \(key a\)/) as unknown,
    ];
    expect(await said(harness, "list", "run-1")).toEqual([b, c]);
    expect(await said(harness, "list", "run-1", "--code", "required")).toEqual([b]);
    expect(await said(harness, "list", "--since", "2000-01-01")).toHaveLength(5);
    expect(await said(harness, "list", "--key", "a")).toEqual([c, c]);
    expect(await said(harness, "list", "--since", "2999-01-01")).toEqual([
      "the newest 10,000 runs have no such rejects",
    ]);
    expect(await said(harness, "list", "--key", "nobody", "--limit", "9")).toEqual([
      "the newest 10,000 runs have no such rejects",
    ]);
    expect(await said(harness, "list", "run-1", "--code", "nothing")).toEqual([
      "run run-1 has no such rejects",
    ]);
    expect(await said(harness, "list", "--open", "--code", "requird")).toEqual([
      'no sync has such open rejects (did you mean "required"?)',
    ]);
  });

  it("says which syncs there are where a name is wrong", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    await expect(said(harness, "list", "--sync", "acounts")).rejects.toThrow(
      'there is no sync or pull "acounts"',
    );
  });

  it("gives rows as JSON, with the digits that they have", async () => {
    const files = { "accounts.csv": "id,domain,name\nb,,B\n" };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    await (await TestRun.open(harness)).transfer();
    const [line = ""] = await said(harness, "list", "--json");
    expect(JSON.parse(line)).toMatchObject({ code: "required", row: { id: "b", name: "B" } });
    expect(json('{"n":12345678901234567890}')).toContain('"row":{"n":12345678901234567890}}');
    expect(JSON.parse(json('{"n":1…'))).toMatchObject({ row: '{"n":1…' });
    expect(JSON.parse(json(null))).toMatchObject({ row: null });
  });
});

describe("sluice rejects list --open", () => {
  it("shows what is open, whichever run holds it, and says where nothing is", async () => {
    const files = { "accounts.csv": "id,domain,name\na,a.example,A\nb,,B\n" };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    expect(await said(harness, "list", "--open")).toEqual(["no sync has open rejects"]);
    await (await TestRun.open(harness)).transfer();
    await harness.write("accounts.csv", "id,domain,name\na,a.example,A\n");
    await (await TestRun.open(harness, { runId: "run-2" })).close({ outcome: "failed" });
    const open = ["accounts.csv:3: domain is required, and empty (key b)"];
    expect(await said(harness, "list", "--open", "--limit", "9")).toEqual(open);
    expect(await said(harness, "list", "--open", "--since", "2000-01-01")).toEqual(open);
    expect(await said(harness, "list", "--open", "--key", "b")).toEqual(open);
    expect(await said(harness, "list", "--key", "b")).toEqual(open);
    expect(await said(harness, "list", "--open", "--key", "nobody")).toEqual([
      "no sync has such open rejects",
    ]);
    await (await TestRun.open(harness, { runId: "run-3" })).transfer();
    expect(await said(harness, "list", "--open", "--sync", "accounts")).toEqual([
      "accounts has no open rejects",
    ]);
  });

  it("refuses what says two things, and a sync that is not there", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    await expect(said(harness, "list", "--open", "--run", "r")).rejects.toThrow(
      "--open and a run exclude each other",
    );
    await expect(said(harness, "list", "--open", "--sync", "acounts")).rejects.toThrow(
      'there is no sync "acounts"',
    );
  });
});

describe("rejectCsv", () => {
  it("has no cell that a spreadsheet runs, also where it splits lines at other separators", () => {
    const line = rejectCsv({ ...reject, key: "=1+1", row: '{"a":"x;=2\\t+3","b":"y;z"}' });
    expect(line).toContain(",'=1+1,");
    expect(line).toContain(`"{""a"":""x;'=2\\t+3"",""b"":""y;z""}"`);
  });
});
