import { describe, expect, it } from "vitest";

import { accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const lost =
  "account_properties.name was left out of 2 records that had it before, such as accounts.csv:2: " +
  "the service may keep the old value (`empty: null` sends a null, `empty: omit` says that it is meant)";

/** The warnings of two runs, each over its own version of a file. */
async function warningsOf(
  yaml: string,
  file: string,
  versions: readonly [string, string],
): Promise<{ readonly harness: Harness; readonly warnings: readonly (readonly string[])[] }> {
  const harness = await Harness.open({ yaml });
  const warnings: (readonly string[])[] = [];
  for (const [index, text] of versions.entries()) {
    await harness.write(file, text);
    const run = await TestRun.open(harness, { runId: `run-${index + 1}` });
    warnings.push((await run.transfer()).warnings);
  }
  return { harness, warnings };
}

const csv = [
  "id,domain,name\na1,a.example,A\na2,b.example,B\na3,c.example,C\na4,d.example,\n",
  "id,domain,name\na1,a.example,\na2,b.example,\na3,c.example,D\na4,e.example,\n",
] as const;

const jsonl = [
  '{"id":"a1","domain":"a.example","name":"A"}\n{"id":"a2","domain":"b.example","name":"B"}\n',
  '{"id":"a1","domain":"a.example"}\n{"id":"a2","domain":"b.example","name":null}\n',
] as const;

/** The configuration with this rule for the name. */
function yamlOf(rule: string): string {
  return accountsYaml().replace("name: name", `name: { column: name${rule} }`);
}

function jsonlOf(rule: string): string {
  return yamlOf(rule).replace("csv, path: accounts.csv", "jsonl, path: accounts.jsonl");
}

describe("a field that a record had when it was sent before, and has no more", () => {
  it("is told of, with the count and a place: an empty cell", async () => {
    const { warnings } = await warningsOf(yamlOf(""), "accounts.csv", csv);
    expect(warnings).toEqual([[], [lost]]);
  });

  it("is told of: a member that is null, or not there", async () => {
    const { warnings } = await warningsOf(jsonlOf(""), "accounts.jsonl", jsonl);
    expect(warnings).toEqual([[], [lost.replace("accounts.csv:2", "accounts.jsonl:1")]]);
  });

  it("is cleared by `empty: null`, whether the member is null or not there", async () => {
    const yaml = jsonlOf(", empty: null");
    const { harness, warnings } = await warningsOf(yaml, "accounts.jsonl", jsonl);
    expect(warnings).toEqual([[], []]);
    const names = await harness.sandbox.names();
    expect([names.get("a1"), names.get("a2")]).toEqual([null, null]);
  });

  it("is told of under a mapping module, too", async () => {
    const module = `export const mapRecord = ({ id, domain, name }) =>
      ({ account_id: id, domain, account_properties: name ? { name } : {} });`;
    const yaml = accountsYaml().replace(/record:[^]*$/, "record: ./mapping.mjs\n");
    const harness = await Harness.open({
      yaml,
      files: { "mapping.mjs": module, "accounts.csv": csv[0] },
    });
    await (await TestRun.open(harness, { runId: "run-1" })).transfer();
    await harness.write("accounts.csv", csv[1]);
    const { warnings } = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    expect(warnings).toEqual([lost]);
  });

  it("is meant where the mapping says `empty: omit`", async () => {
    const { warnings } = await warningsOf(yamlOf(", empty: omit"), "accounts.csv", csv);
    expect(warnings).toEqual([[], []]);
  });

  it("is meant where the mapping names it no more", async () => {
    const first = await Harness.open({ yaml: accountsYaml(), files: { "accounts.csv": csv[0] } });
    await (await TestRun.open(first, { runId: "run-1" })).transfer();
    const second = await first.withYaml(accountsYaml().replace("name: name", "title: name"));
    const { warnings } = await (await TestRun.open(second, { runId: "run-2" })).transfer();
    expect(warnings).toEqual([]);
  });
});
