import { describe, expect, it } from "vitest";

import { registerExplain } from "../../../../src/cli/run/explain.ts";
import { registerState } from "../../../../src/cli/status/state.ts";
import type { RunReport } from "../../../../src/report/report.ts";
import { accountsCsv, accountsYaml, Harness } from "../../../support/project/harness.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const rows = 4;

/** A project whose `record` has these properties. */
function yamlOf(properties: string, ...sync: readonly string[]): string {
  return accountsYaml(...sync).replace("{ name: name }", properties);
}

const deployed = "{ name: name, code: { column: id } }";
const edited = '{ name: name, code: { template: "no {id}" } }';

const someJs = `export function mapRecord(row) {
  return { account_id: row.id, domain: row.domain, account_properties: { name: row.name } };
}
`;

async function state(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerState, harness, ["state", ...args]);
}

const why = ["--reason", "cosmetic"];

async function adopt(harness: Harness, fields: string): Promise<Shown> {
  return await state(harness, "adopt", "accounts", "--fields", fields, ...why);
}

async function counts(harness: Harness, runId: string): Promise<Partial<RunReport["counts"]>> {
  const run = await TestRun.open(harness, { runId });
  const { sent, unchanged } = (await run.transfer()).counts;
  return { sent, unchanged };
}

/** A project that ran once, and whose mapping was then edited. */
async function project(edit = edited): Promise<Harness> {
  const files = { "accounts.csv": accountsCsv(rows), "some.js": someJs };
  const harness = await Harness.open({ yaml: yamlOf(deployed), files });
  await counts(harness, "run-1");
  return await harness.withYaml(yamlOf(edit));
}

describe("sluice state adopt", () => {
  it("has the next run send nothing, and a row that changes later is sent", async () => {
    const harness = await project();
    expect((await adopt(harness, "account_properties.code")).out).toEqual([
      "4 records of accounts are taken for what the service holds; 0 other records are left to be sent",
    ]);
    const { out } = await runVerb(registerExplain, harness, [
      "explain",
      "accounts",
      "--place",
      "accounts.csv:3",
    ]);
    expect(out.join("\n")).toContain("leaves it: it is as it was adopted");
    expect(out.join("\n")).toMatch(/holds what it accepted at .*; adopted at .*cosmetic/);
    expect(await counts(harness, "run-2")).toEqual({ sent: 0, unchanged: rows });
    await harness.write(
      "accounts.csv",
      accountsCsv(rows, (row) => `name ${row === 2 ? "x" : row}`),
    );
    expect(await counts(harness, "run-3")).toEqual({ sent: 1, unchanged: rows - 1 });
    expect((await harness.sandbox.names()).get("a2")).toBe("name x");
  });

  it("says of what was adopted before that nothing of it is left to be sent", async () => {
    const harness = await project();
    await adopt(harness, "account_properties.code");
    expect((await adopt(harness, "account_properties.code")).out).toEqual([
      "0 records of accounts are taken for what the service holds; 0 other records are left to be sent",
    ]);
  });

  it("leaves rows to be sent of which the older mapping gives another record than is held", async () => {
    const harness = await project();
    await harness.write(
      "accounts.csv",
      accountsCsv(rows, (row) => `name ${row === 2 ? "x" : row}`),
    );
    expect((await adopt(harness, "account_properties.code")).out[0]).toMatch(
      /^3 records .*; 1 other record is left/,
    );
    expect(await counts(harness, "run-2")).toEqual({ sent: 1, unchanged: rows - 1 });
  });

  it("leaves records to be sent that differ in a field that was not named", async () => {
    const harness = await project('{ title: name, code: { template: "no {id}" } }');
    expect((await adopt(harness, "account_properties.code")).out[0]).toMatch(
      /^0 records .*; 4 other records are left/,
    );
    expect(await counts(harness, "run-2")).toEqual({ sent: rows, unchanged: 0 });
  });

  it("knows again what it knew before with --undo, of what was not sent since, and keeps both", async () => {
    const harness = await project();
    await adopt(harness, "account_properties.code");
    await harness.write(
      "accounts.csv",
      accountsCsv(rows, (row) => `name ${row === 2 ? "x" : row}`),
    );
    expect(await counts(harness, "run-2")).toEqual({ sent: 1, unchanged: rows - 1 });
    const { out } = await state(harness, "adopt", "accounts", "--undo", ...why);
    expect(out).toEqual(["3 records of accounts are known as before again"]);
    const shown = (await state(harness, "show", "accounts")).out.join("\n");
    expect(shown).toMatch(
      /4 records adopted on .* in account_properties.code, undone on .*: cosmetic/,
    );
    expect(await counts(harness, "run-3")).toEqual({ sent: 3, unchanged: 1 });
    await expect(state(harness, "adopt", "accounts", "--undo", ...why)).rejects.toThrow(
      "sync accounts has no adoption that could be undone",
    );
  });

  it("takes what an older mapping made also where today's has made a few records already", async () => {
    const harness = await project();
    const trial = await TestRun.open(harness, { runId: "run-2", request: { limit: 1 } });
    expect((await trial.transfer()).counts.sent).toBe(1);
    expect((await adopt(harness, "account_properties.code")).out).toEqual([
      "3 records of accounts are taken for what the service holds; 0 other records are left to be sent",
    ]);
    expect(await counts(harness, "run-3")).toEqual({ sent: 0, unchanged: rows });
  });

  it("takes what the deployed order of fields made, also where a run in another one sent nothing", async () => {
    const harness = await project("{ code: { column: id }, name: name }");
    const given = await TestRun.open(harness, { runId: "run-2" });
    await given.close({ outcome: "cancelled" });
    await harness.withYaml(yamlOf(edited));
    expect((await adopt(harness, "account_properties.code")).out).toEqual([
      "4 records of accounts are taken for what the service holds; 0 other records are left to be sent",
    ]);
  });

  it("is refused while a run is open", async () => {
    const harness = await project();
    await TestRun.open(harness, { runId: "run-2" });
    await expect(adopt(harness, "account_properties.code")).rejects.toThrow(
      "run run-2 of sync accounts is open",
    );
  });

  it.each([
    ["account_properties.cod", edited, "has no field account_properties.cod"],
    ["account_properties.name", edited, "is mapped as it was before"],
    ["account_properties.code", deployed, "is the one of its last run: nothing to adopt"],
  ])("says what is wrong with %s", async (fields, edit, message) => {
    await expect(adopt(await project(edit), fields)).rejects.toThrow(message);
  });

  it("is refused where records have another key, or are of another stream", async () => {
    const harness = await project();
    const others = [
      yamlOf(edited).replace("account_id: id", "account_id: domain"),
      yamlOf(edited)
        .replace("stream: account", "stream: contact")
        .replace("account_id: id", "contact_id: id")
        .replace("domain: domain", "email: domain")
        .replace("account_properties", "contact_properties"),
    ];
    for (const yaml of others) {
      await harness.withYaml(yaml);
      await expect(adopt(harness, "account_properties.code")).rejects.toThrow(
        "its stream or its key is another",
      );
    }
  });

  it("needs a mapping that says what it made, and a run that sent something", async () => {
    const files = { "accounts.csv": accountsCsv(rows), "some.js": someJs };
    const yaml = accountsYaml().replace(/record:\n(?: {6}.*\n)+/, "record: ./some.js\n");
    const harness = await Harness.open({ yaml, files });
    const edit = async (): Promise<Shown> => await adopt(harness, "account_properties.code");
    await expect(edit()).rejects.toThrow("has sent anything yet");
    await counts(await harness.withYaml(yamlOf(deployed)), "run-1");
    await counts(await harness.withYaml(yaml), "run-2");
    await harness.withYaml(yamlOf(edited));
    await expect(edit()).rejects.toThrow("mapped by a module, whose text of then is gone");
    await harness.withYaml(yamlOf(edited, "send: all"));
    await expect(edit()).rejects.toThrow("has `send: all`");
    await expect(state(harness, "adopt", "acounts", "--undo", ...why)).rejects.toThrow("acounts");
    await expect(state(harness, "adopt", "accounts", ...why)).rejects.toThrow(
      "adopt takes --fields or --undo",
    );
  });
});
