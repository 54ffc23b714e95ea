import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { registerCheck } from "../../../../src/cli/project/check.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { companiesYaml } from "../../../support/project/doubt-story.ts";
import {
  accountsCsv,
  accountsYaml,
  Harness,
  harnessKey,
} from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const sync = (name: string, from: string): string => `
  ${name}:
    from: ${from}
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }`;
const read = (name: string): string =>
  `ok    sync ${name}: mapping: every column that it reads is there`;

/** Runs `sluice check files` in a folder with these syncs. Returns its output and its exit code. */
async function check(
  syncs: string,
  connection = "files",
): Promise<{ readonly lines: readonly string[]; readonly code: number }> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.csv"), "id,domain\n1,a.example\n");
  await writeFile(join(cwd, "b.csv"), "id,domain\n1,a.example\n");
  await writeFile(
    join(cwd, "sluice.yaml"),
    `version: 1\napi: { api_key: test-key }
connections:
  files: { connector: csv, path: a.csv }
  other: { connector: csv, path: none.csv }
syncs: ${syncs}\n`,
  );
  return await checkIn(cwd, connection);
}

/** Runs `sluice check` of a connection of a project, or of all of it. */
async function checkIn(
  cwd: string,
  connection?: string,
  variables?: Readonly<Record<string, string>>,
): Promise<{ readonly lines: readonly string[]; readonly code: number }> {
  const lines: string[] = [];
  let code = 0;
  const program = new Command().exitOverride();
  registerCheck(program, {
    cwd,
    environment: readEnvironment(variables),
    print: (text) => void lines.push(text),
    say: () => undefined,
    exit: (given) => {
      code = given;
    },
  });
  await program.parseAsync(["check", ...(connection === undefined ? [] : [connection])], {
    from: "user",
  });
  return { lines, code };
}

/** A connector of which one ability fails. */
const feed = `import { pullSource } from "sluice/connector";
import { z } from "zod";
export const feed = pullSource({
  name: "feed",
  config: z.strictObject({ fails: z.string() }),
  position: z.object({ at: z.int() }),
  async *read() {},
  check: async ({ config }) => config.fails === "check" ? undefined.x : [{ name: "open", ok: true }],
  columns: async ({ config }) => config.fails === "columns" ? undefined.x : ["id", "domain"],
  repeats: async ({ config }) => config.fails === "repeats" ? undefined.x : "once",
  whyNoCells: async ({ config }) => config.fails === "cells" ? undefined.x : undefined,
});
`;

const fine = '2 columns, delimiter ",", utf-8, 22 bytes';

describe("sluice check", () => {
  it("looks at a connection as it stands when nothing reads it", async () => {
    expect(await check("{}")).toEqual({ lines: [`ok    files: a.csv: ${fine}`], code: 0 });
  });

  it("looks at a connection as each sync reads it, the same way once", async () => {
    const own = "{ connection: files, path: b.csv }";
    expect(await check(sync("one", own) + sync("same", own) + sync("plain", "files"))).toEqual({
      lines: [
        `ok    files (sync one): b.csv: ${fine}`,
        `ok    files: a.csv: ${fine}`,
        ...["one", "same", "plain"].map(read),
      ],
      code: 0,
    });
  });

  it("looks for the columns that a mapping reads, as a run will", async () => {
    const misspelt = sync("one", "files").replace("{}", "{ name: Domian, note: nothing }");
    const { lines, code } = await check(misspelt);
    expect(code).toBe(2);
    expect(lines.slice(1)).toEqual([
      'FAIL  sync one: mapping: sync one reads the columns "Domian" (did you mean "domain"?), ' +
        '"nothing", which connection files does not have',
      '      → its columns are "id", "domain"',
    ]);
  });

  it("looks whether account and source are those that a run has worked with", async () => {
    const files = { "accounts.csv": accountsCsv(2) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    await (await TestRun.open(harness)).transfer();
    const { folder, sandbox } = harness;
    const variables = { SLUICE_BASE_URL: sandbox.address, CRM_DATABASE_URL: "none" };
    const same = await checkIn(folder, "exports", { ...variables, SLUICE_API_KEY: harnessKey });
    expect(same).toMatchObject({ code: 0 });
    expect(same.lines.join()).not.toContain("account and source");
    const other = await checkIn(folder, "exports", { ...variables, SLUICE_API_KEY: "another-key" });
    expect(other.code).toBe(2);
    expect(other.lines).toContainEqual(
      expect.stringContaining(
        "FAIL  sync accounts: account and source: sync accounts: the API key is not",
      ),
    );
  });

  it("looks for the columns also where something else of the connection is wrong", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id text primary key, domain text, at timestamptz not null);
      insert into t values ('1', 'a.example', now() + interval '5 hours')`);
    const harness = await Harness.open({
      yaml: companiesYaml(url)
        .replace("table: companies", "table: t")
        .replace("updated_at", "at")
        .replace("domain: domain", "domain: domian"),
    });
    const variables = {
      SLUICE_BASE_URL: harness.sandbox.address,
      SLUICE_API_KEY: harnessKey,
      CRM_DATABASE_URL: "none",
    };
    const { lines, code } = await checkIn(harness.folder, "crm", variables);
    const told = lines.filter((line) => line.startsWith("FAIL"));
    expect(told).toEqual([
      expect.stringContaining("newest row: it is stamped 5 h ahead"),
      expect.stringContaining('mapping: sync accounts reads the columns "domian"'),
    ]);
    expect(code).toBe(2);
  });

  it("says of a connector that throws something of its own what it was, and checks the others", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "package.json"), '{ "type": "module" }');
    await writeFile(join(cwd, "a.csv"), "id,domain\n1,a.example\n");
    await writeFile(join(cwd, "feed.js"), feed);
    const connections = `
  checked: { connector: ./feed.js, fails: check }
  listed: { connector: ./feed.js, fails: columns }
  counted: { connector: ./feed.js, fails: repeats }
  files: { connector: csv, path: a.csv }`;
    const syncs = [sync("list", "listed"), sync("count", "counted"), sync("plain", "files")].join(
      "",
    );
    const api = "api: { api_key: test-key, base_url: http://127.0.0.1:1 }";
    const yaml = `version: 1\n${api}\nconnections: ${connections}\nsyncs: ${syncs}\n`;
    await writeFile(join(cwd, "sluice.yaml"), yaml);
    const { lines, code } = await checkIn(cwd);
    expect(lines.filter((line) => /^(?:FAIL|ok {4}files)/.test(line))).toEqual([
      expect.stringMatching(
        /^FAIL {2}checked: source: connector \.\/feed\.js fails at feed\.js:\d+: TypeError/,
      ),
      `ok    files: a.csv: ${fine}`,
      expect.stringMatching(/^FAIL {2}sync list: mapping: connector \.\/feed\.js fails at /),
      expect.stringMatching(
        /^FAIL {2}sync count: rows of a record: connector \.\/feed\.js fails at /,
      ),
    ]);
    expect(lines).toContain(read("plain"));
    expect(code).toBe(1);
  });

  it("says of a connector that cannot say how fast it reads what it threw, and notes the others", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "package.json"), '{ "type": "module" }');
    await writeFile(join(cwd, "feed.js"), feed);
    await writeFile(join(cwd, "a.csv"), "id,domain\n1,a.example\n");
    const connections = `
  celled: { connector: ./feed.js, fails: cells }
  files: { connector: csv, path: a.csv }`;
    const nightly = "\n    schedule: { at: '02:30', time_zone: UTC }";
    const syncs = sync("cell", "celled") + sync("plain", "files") + nightly;
    const api = "api: { api_key: test-key, base_url: http://127.0.0.1:1 }";
    const yaml = `version: 1\n${api}\nconnections: ${connections}\nsyncs: ${syncs}\n`;
    await writeFile(join(cwd, "sluice.yaml"), yaml);
    const { lines, code } = await checkIn(cwd);
    expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([
      expect.stringMatching(
        /^FAIL {2}sync cell: speed: connector \.\/feed\.js fails at feed\.js:\d+: /,
      ),
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^note {2}sync plain: .*hold_if/));
    expect(code).toBe(1);
  });

  it("says of each connection that answers too late that it did not answer", async () => {
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    const late = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(reason));
    onTestFinished(() => late.mockRestore());
    const cwd = await temporaryFolder();
    const api = "{ connector: http, url: 'http://127.0.0.1:1' }";
    const yaml = [
      "version: 1",
      "api: { api_key: k, base_url: http://127.0.0.1:1 }",
      `connections: { one: ${api}, two: ${api} }`,
      "syncs: {}",
    ];
    await writeFile(join(cwd, "sluice.yaml"), yaml.join("\n"));
    const { lines, code } = await checkIn(cwd);
    expect(lines.slice(0, 2)).toEqual([
      "FAIL  one: source: connection one gave no answer within 60 s",
      "FAIL  two: source: connection two gave no answer within 60 s",
    ]);
    expect(code).toBe(1);
  });

  it("ends with 1 when a step fails, and says what to do", async () => {
    const { lines, code } = await check("{}", "other");
    expect(code).toBe(1);
    expect(lines).toEqual([
      "FAIL  other: none.csv: none.csv does not exist",
      expect.stringMatching(/^ +→ The folder holds /),
    ]);
  });

  it("says once of a store that is away that it is", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.csv"), "id,domain\n1,a.example\n");
    const store = "{ url: 'postgres://u:x@127.0.0.1:1/d', project: p }";
    const connections = "{ files: { connector: csv, path: a.csv } }";
    const syncs = sync("accounts", "files");
    await writeFile(
      join(folder, "sluice.yaml"),
      ["version: 1", "api: { api_key: k, base_url: http://127.0.0.1:1 }", `store: ${store}`]
        .concat(`connections: ${connections}`, `syncs: ${syncs}`, "")
        .join("\n"),
    );
    const { lines } = await checkIn(folder);
    const failed = lines.filter((line) => line.startsWith("FAIL"));
    expect(failed).toEqual([expect.stringMatching(/^FAIL {2}state store: usable: .*ECONNREFUSED/)]);
  });

  it("refuses a connection that is not there", async () => {
    await expect(check("{}", "file")).rejects.toThrow(ConfigError);
    await expect(check("{}", "file")).rejects.toThrow('did you mean "files"');
  });
});
