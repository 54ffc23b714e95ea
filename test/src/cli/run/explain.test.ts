import { rm } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Source } from "../../../../connectors/contract/connector.ts";
import { sourcesOf } from "../../../../connectors/registry.ts";
import { connectorOf } from "../../../../connectors/source.ts";
import { syncNamed } from "../../../../src/cli/named.ts";
import { registerExplain } from "../../../../src/cli/run/explain.ts";
import { explain as told } from "../../../../src/cli/run/explained.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const header = "id,domain,name";
const before = `${header}\na,a.example,A\nb,b.example,B\nd,,D\n`;
const after = `${header}\na,a.example,A\nb,x.example,Bo\nc,c.example,C\nd,,D\n`;

async function explain(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerExplain, harness, ["explain", "accounts", ...args]);
}

/** A project whose run over `before` was accepted, and which now holds `after`. */
async function synced(...sync: readonly string[]): Promise<{ harness: Harness; at: string }> {
  const harness = await Harness.open({
    yaml: accountsYaml(...sync),
    files: { "accounts.csv": before },
  });
  await (await TestRun.open(harness)).transfer();
  await harness.write("accounts.csv", after);
  return { harness, at: new Date(harness.clock.nowMs).toISOString() };
}

const record = (id: string, domain: string, name: string): string =>
  `{"type":"account","account_id":"${id}","domain":"${domain}","account_properties":{"name":"${name}"}}`;

describe("sluice explain", () => {
  it("tells of a record that changed since it was sent: by whom, in which fields, and what comes", async () => {
    const { harness, at } = await synced();
    const { out, code } = await explain(harness, "--place", "accounts.csv:3");
    expect(out.join("\n").split("\n")).toEqual([
      "accounts, accounts.csv:3",
      "  source    accounts.csv:3",
      `  mapping   ${record("b", "x.example", "Bo")}`,
      "  next run  sends it: changed in domain, account_properties.name",
      expect.stringMatching(
        `^ {2}service {3}holds what it accepted at ${at}, sent by run \\S+ \\(sync\\), chunk 1, its only part`,
      ),
    ]);
    expect(code).toBe(0);
  });

  it("tells of what is unchanged, new, rejected and gone", async () => {
    const { harness } = await synced();
    const said = async (...args: readonly string[]): Promise<string> =>
      (await explain(harness, ...args)).out.join("\n");
    expect(await said("a", "--scan")).toContain("next run  leaves it: it is as it was accepted");
    expect(await said("c", "--scan")).toMatch(
      /next run {2}sends it: it was never accepted\n {2}service {3}holds nothing of it/,
    );
    expect(await said("--place", "accounts.csv:5")).toMatch(
      /mapping {3}rejects it: domain is required, and empty \(required\)\n {2}next run {2}rejects it/,
    );
    await harness.write("accounts.csv", `${header}\nc,c.example,C\n`);
    expect(await said("b")).toMatch(
      /source {4}has no row of this name;.*\n {2}service {3}holds what/,
    );
  });

  it("tells of the rejects of a key in earlier runs, and what became of them", async () => {
    const harness = await Harness.open({
      yaml: accountsYaml(),
      files: { "accounts.csv": `${header}\na,a.example,A\na,b.example,B\n` },
    });
    await (await TestRun.open(harness)).transfer();
    const { out } = await explain(harness, "a");
    expect(out.join("\n")).toMatch(/\n {2}reject {4}\S+ run \S+: accounts\.csv:3: .*\[open\]$/m);
  });

  it("tells of a row that is rejected now what the service holds of its key, and not of its place", async () => {
    const { harness, at } = await synced();
    await harness.write("accounts.csv", `${header}\na,,A\n,,no key\n`);
    const said = async (place: string): Promise<string> =>
      (await explain(harness, "--place", place)).out.join("\n");
    expect(await said("accounts.csv:2")).toContain(`service   holds what it accepted at ${at}`);
    expect(await said("accounts.csv:3")).not.toContain("service");
    await harness.state.forgetFingerprints({ target: harness.deps.target, sync: "accounts" });
    const none = await explain(harness, "--place", "accounts.csv:9");
    expect([none.out.join(), none.code]).toEqual([expect.not.stringContaining("service"), 2]);
    await harness.write("accounts.csv", after);
    expect(await said("accounts.csv:5")).toMatch(
      /reject {4}\S+ run \S+: accounts\.csv:4: .*\[open\]/,
    );
  });

  it("says of a row that runs reject because an earlier one has its key that none sends it", async () => {
    const { harness } = await synced();
    await harness.write("accounts.csv", `${before}a,other.example,Other\n`);
    await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    const next = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await explain(harness, ...args)).out
        .join("\n")
        .split("\n")
        .filter((line) => line.startsWith("  next run"));
    const rejects = "  next run  rejects it, as long as an earlier row has its key (duplicate_key)";
    expect(await next("a", "--scan")).toEqual([
      "  next run  leaves it: it is as it was accepted",
      rejects,
    ]);
    expect(await next("--place", "accounts.csv:5")).toEqual([rejects]);
    const { out } = await explain(harness, "--place", "accounts.csv:5", "--json");
    expect(JSON.parse(out.join(""))).toMatchObject({ rows: [{ sends: false }] });
    const all = await harness.withYaml(accountsYaml("duplicate_keys: send"));
    const { out: sent } = await explain(all, "a", "--scan");
    expect(sent.join("\n")).toContain("sends it: changed in domain");
  });

  it("says why nothing is known", async () => {
    const { harness } = await synced();
    const run = await TestRun.open(harness, { runId: "run-2" });
    await run.stage();
    expect((await explain(harness, "b")).out.join()).toContain(
      "unknown: a run has staged it and is not done with it",
    );
    await run.close({ outcome: "failed" });
    await harness.state.forgetFingerprints({ target: harness.deps.target, sync: "accounts" });
    expect((await explain(harness, "b", "--scan")).out.join()).toMatch(
      /sends it: nothing says what the service holds.*unknown: its known state does not count any more/s,
    );
  });

  it("says of a record that the service refused that it did, and not that the store was reset", async () => {
    const harness = await Harness.open({
      yaml: accountsYaml(),
      files: { "accounts.csv": `${header}\na,a.example,A\n` },
    });
    harness.sandbox.order("upload-json", { status: 422, body: { detail: [] } });
    await (await TestRun.open(harness)).transfer("body");
    const { out } = await explain(harness, "a", "--scan");
    expect(out.join("\n")).toMatch(
      /service {3}unknown: the last record of it was refused, or given up before it was taken\n {2}reject /,
    );
  });

  it("tells a row that a filter leaves out", async () => {
    const { harness } = await synced();
    await harness.write("none.ts", "export function mapRecord() {\n  return null;\n}\n");
    const [head = ""] = accountsYaml().split("    record:");
    await harness.withYaml(`${head}    record: ./none.ts\n`);
    const { out } = await explain(harness, "--place", "accounts.csv:3");
    expect(out.join("\n")).toContain("mapping   leaves it out: it makes no record of it");
  });

  it("says it as JSON", async () => {
    const { harness, at } = await synced();
    const { out } = await explain(harness, "--json", "b", "--scan");
    expect(JSON.parse(out.join(""))).toMatchObject({
      sync: "accounts",
      name: "b",
      rows: [
        {
          place: "accounts.csv:3",
          is: "record",
          key: "b",
          status: "changed",
          changed_fields: ["domain", "account_properties.name"],
          sends: true,
        },
      ],
      keys: [
        {
          key: "b",
          service: { state: "accepted", accepted_at: at, kind: "sync", chunk: 1 },
          rejects: [],
        },
      ],
    });
  });

  it("says of a key that was never seen that it was not", async () => {
    const { harness } = await synced();
    const { out, said, code } = await explain(harness, "nobody", "--scan");
    expect(out.join("\n")).toContain("service   holds nothing of it from this sync");
    expect([said, code]).toEqual([[expect.stringContaining("nothing is known of it")], 2]);
  });

  it("says of a place where no row is nothing of a scan, which takes none", async () => {
    const { harness } = await synced();
    for (const args of [["--place", "accounts.csv:99"], ["accounts.csv:99"]]) {
      const { out, said, code } = await explain(harness, ...args);
      expect(out.join("\n")).toMatch(/source {4}has no row of this place: no row begins there/);
      expect([said, code]).toEqual([
        ["→ nothing is known of it: is the place as `sluice rejects list` names one?"],
        2,
      ]);
    }
  });

  it("tells what the store knows of a key while the source cannot be asked, and fails as that does", async () => {
    const { harness, at } = await synced();
    await rm(join(harness.folder, "accounts.csv"));
    const { out, code } = await explain(harness, "a", "--scan");
    expect(out.join("\n").split("\n")).toEqual([
      "accounts, a",
      expect.stringMatching(/^ {2}source {4}cannot be asked: .*accounts\.csv.* → /),
      expect.stringContaining(`service   holds what it accepted at ${at}, sent by run`),
    ]);
    expect(code).toBe(2);
    const json = await explain(harness, "a", "--scan", "--json");
    expect(JSON.parse(json.out.join(""))).toMatchObject({
      error: { code: "ConfigError", message: expect.stringContaining("accounts.csv") as unknown },
      keys: [{ key: "a", service: { state: "accepted" } }],
    });
    await expect(explain(harness, "nobody", "--scan")).rejects.toThrow("accounts.csv");
    await expect(explain(harness, "--place", "accounts.csv:3")).rejects.toThrow("accounts.csv");
  });

  it("waits no longer for a source than it may take", async () => {
    const { harness } = await synced();
    const { config } = harness.deps;
    const sync = syncNamed(config, "accounts");
    const found = connectorOf({ sources: sourcesOf(config) }, sync.connector);
    const signals: AbortSignal[] = [];
    const silent: Source = {
      ...found,
      get: async ({ signal }) => {
        signals.push(signal);
        return await new Promise(() => undefined);
      },
    };
    const asked = { config, sync, source: silent, name: "a", scans: false, answerMsMax: 20 };
    const { failed, keys } = await told(asked, harness.state);
    expect(failed?.message).toBe("the source of accounts did not answer within 0.02 s");
    expect(keys).toMatchObject([{ key: "a", known: { state: "accepted" } }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("says of a sync that had this name before how its records are found", async () => {
    const { harness } = await synced();
    const now = accountsYaml().replace("  accounts:\n", "  companies:\n");
    await harness.withYaml(now);
    await expect(explain(harness, "a")).rejects.toMatchObject({
      message: expect.stringMatching(/^there is no sync "accounts" in \S+ any more$/) as unknown,
      hint: expect.stringContaining("in a copy of sluice.yaml") as unknown,
    });
    await harness.write("former.yaml", accountsYaml());
    const { out } = await explain(harness, "a", "--config", "former.yaml");
    expect(out.join("\n")).toContain("service   holds what it accepted");
    const unknown = runVerb(registerExplain, harness, ["explain", "nobody", "a"]);
    await expect(unknown).rejects.toMatchObject({ hint: "the syncs are: companies" });
  });

  it("wants a key or a place, one of them, and no scan for a place", async () => {
    const { harness } = await synced();
    await expect(explain(harness)).rejects.toThrow("explain takes a key or --place");
    await expect(explain(harness, "a", "--place", "b")).rejects.toThrow("a key or --place");
    await expect(explain(harness, "--place", "b", "--scan")).rejects.toThrow("--scan looks for");
  });
});
