import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { registerTest } from "../../../../src/cli/test/test.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const head = "sync: accounts\ncases:\n";

/** A project of one sync, with one or more test files. */
async function projectWith(
  tests: string | Readonly<Record<string, string>>,
  more: { readonly connection?: string; readonly record?: string; readonly stream?: string } = {},
): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "tests"));
  const {
    connection = "{ connector: csv, path: none.csv }",
    record = "{ account_id: id, domain: { column: site, as: domain }, account_properties: { " +
      "employees: { column: headcount, as: integer }, city: { column: city, empty: keep } } }",
    stream = "account",
  } = more;
  await writeFile(
    join(folder, "sluice.yaml"),
    `version: 1\napi: { api_key: test-key }\nconnections:\n  crm: ${connection}\n` +
      `syncs:\n  accounts: { from: crm, stream: ${stream}, record: ${record} }\n`,
  );
  const files = typeof tests === "string" ? { "accounts.yaml": tests } : tests;
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, "tests", name), text);
  return folder;
}

type Ended = {
  readonly lines: readonly string[];
  readonly said: readonly string[];
  readonly code: number;
};

/** Runs `sluice test` in a project. */
async function test(cwd: string, ...args: readonly string[]): Promise<Ended> {
  const [lines, said]: [string[], string[]] = [[], []];
  let code = 0;
  const program = new Command().exitOverride();
  registerTest(program, {
    cwd,
    environment: readEnvironment({}),
    print: (text) => void lines.push(text),
    say: (text) => void said.push(text),
    exit: (given) => {
      code = given;
    },
  });
  await program.parseAsync(["test", ...args], { from: "user" });
  return { lines, said, code };
}

/** The error that refuses a test file. */
async function refusal(tests: string): Promise<string> {
  const error: unknown = await test(await projectWith(tests)).catch((thrown: unknown) => thrown);
  return error instanceof ConfigError ? error.message : `not refused: ${String(error)}`;
}

const plain = `${head}  - name: plain
    row: { id: 007, site: https://www.acme.example/about, headcount: 12 }
    record: { account_id: "007", domain: acme.example, account_properties: { employees: 12, city: "" } }
`;

describe("sluice test", () => {
  it("takes cells of CSV as they are written, and columns that are not there as empty", async () => {
    expect(await test(await projectWith(plain))).toEqual({
      lines: ["ok    tests/accounts.yaml: 1 case"],
      said: [],
      code: 0,
    });
  });

  it("shows member by member what is not as expected, with its line, and ends with 1", async () => {
    const tests = `${plain.replace('employees: 12, city: ""', "employees: 13, state: x")}
  - name: refused
    row: { id: 8, site: acme.example, headcount: a dozen }
    record:
      account_id: 8
  - name: refused for something else
    row: { id: " ", site: nowhere }
    reject: { code: required, field: account_id }
`;
    expect(await test(await projectWith(tests))).toEqual({
      lines: [
        "FAIL  tests/accounts.yaml:3: plain",
        "      line 5  - account_properties.employees: 13",
        "              + account_properties.employees: 12",
        "      line 5  - account_properties.state: x",
        "              + account_properties.state: (nothing)",
        "      line 5  - account_properties.city: (nothing)",
        '              + account_properties.city: ""',
        "FAIL  tests/accounts.yaml:7: refused",
        "      line 9  - record: { account_id: 8 }",
        "              + reject: { code: not_integer, field: account_properties.employees }" +
          "  (is not a whole number, digits only)",
        "FAIL  tests/accounts.yaml:11: refused for something else",
        "      line 13  - reject: { code: required, field: account_id }",
        "               + reject: { code: not_domain, field: domain }  (is a single word, not a domain)",
        "3 of 3 cases failed: - is expected, + is what the mapping gives",
      ],
      said: [],
      code: 1,
    });
  });

  it("says where a text of digits lacks its quotes, and fails where nothing is expected", async () => {
    const tests = `${plain.replace('"007"', "007")}
  - name: new
    row: { id: 8 }
`;
    expect((await test(await projectWith(tests))).lines).toEqual([
      "FAIL  tests/accounts.yaml:3: plain",
      "      line 5  - account_id: 7",
      '              + account_id: "007"  (it is text: write it in quotes)',
      "FAIL  tests/accounts.yaml:7: new",
      "      line 7  - (nothing is expected)",
      "              + reject: { code: required, field: domain }  (is required, and empty)",
      "2 of 2 cases failed: - is expected, + is what the mapping gives",
    ]);
  });

  it("shows an unknown member with its line, its column and a caret", async () => {
    expect(await refusal(plain.replace("record:", "recrod:"))).toBe(
      'tests/accounts.yaml:5:5: unknown member "recrod" (did you mean "record"?)\n' +
        '      recrod: { account_id: "007", domain: acme.example, account_properties: { employees: 12, city: "" } }\n' +
        "      ^",
    );
  });

  it.each([
    [
      "sync: accounts",
      "sync: acounts",
      '1:7: there is no sync "acounts" (did you mean "accounts"?)',
    ],
    [
      "headcount:",
      "hedcount:",
      '4:59: sync accounts reads no column "hedcount" (did you mean "headcount"?)',
    ],
    ["headcount: 12", "headcount: [12]", "4:59: must be text: a cell of CSV holds nothing else"],
    ["    record:", "    file: x.csv\n    record:", "3:5: takes one of row, file, not more"],
    ["    record:", "    expect:\n      - record:", "5:5: belongs to `rows` and `file`"],
    [
      "row: {",
      "rows:\n      - {",
      "6:5: belongs to `row`; several rows have `expect: [{ record: … }, …]`",
    ],
    ["cases:", "now: 2026-01-31\ncases:", "2:6: must be a date with time and zone"],
    ["cases:", "time_zone: Paris\ncases:", "2:12: no time zone has this name"],
    ["cases:", "cases:\n  - { name: plain, row: {} }", "4:11: another case has this name"],
  ])("refuses %j written as %j", async (find, replace, place) => {
    expect(await refusal(plain.replace(find, replace))).toContain(`tests/accounts.yaml:${place}`);
  });

  it("refuses to pass where there is no test", async () => {
    await expect(test(await projectWith({}))).rejects.toThrow("there are no tests");
    await expect(test(await projectWith(plain), "none.yaml")).rejects.toThrow("none.yaml");
  });

  it("prints an object for each case with --json, and writes JUnit XML", async () => {
    const folder = await projectWith({
      "b.yaml": plain,
      "a.yaml": plain.replace("employees: 12", "employees: <13>").replace("plain", '"<a> & b"'),
    });
    const { lines, code } = await test(folder, "--json", "--junit", "results.xml");
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        file: "tests/a.yaml",
        line: 3,
        sync: "accounts",
        name: "<a> & b",
        ok: false,
        differences: [
          { line: 5, member: "record.account_properties.employees", expected: "<13>", actual: 12 },
        ],
      },
      { file: "tests/b.yaml", line: 3, sync: "accounts", name: "plain", ok: true, differences: [] },
    ]);
    expect(code).toBe(1);
    expect(await readFile(join(folder, "results.xml"), "utf8")).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sluice test" tests="2" failures="1">
  <testsuite name="tests/a.yaml" tests="1" failures="1">
    <testcase classname="tests/a.yaml" name="&lt;a&gt; &amp; b" file="tests/a.yaml" line="3">
      <failure message="tests/a.yaml:3: 1 difference">line 5  - account_properties.employees: &lt;13&gt;
        + account_properties.employees: 12</failure>
    </testcase>
  </testsuite>
  <testsuite name="tests/b.yaml" tests="1" failures="0">
    <testcase classname="tests/b.yaml" name="plain" file="tests/b.yaml" line="3"/>
  </testsuite>
</testsuites>
`,
    );
  });

  it("writes with --update what the mapping gives, and then it passes", async () => {
    const folder = await projectWith(
      `# Ours\n${plain.replace("12,", "13, # people\n     ")}\n  - name: new # and not done\n    row: { id: 8 }\n`,
    );
    const { said, code } = await test(folder, "--update");
    expect({ said, code }).toEqual({
      said: [
        "tests/accounts.yaml now expects what the mapping gives: look at what changed before you commit it",
      ],
      code: 0,
    });
    expect(await readFile(join(folder, "tests/accounts.yaml"), "utf8")).toBe(
      `# Ours\n${plain.replace("12,", "12, # people\n     ")}\n  - name: new # and not done\n    row: { id: 8 }\n` +
        "    reject: { code: required, field: domain }\n",
    );
    expect((await test(folder)).code).toBe(0);
  });

  it("leaves a file alone that cannot be updated without another change", async () => {
    const tests = `${head}  - name: one
    row: { id: 1, site: a.example, city: x }
    record: { account_id: "1", domain: a.example, account_properties: &p { city: y } }
  - name: other
    row: { id: 2, site: a.example, city: y }
    record: { account_id: "2", domain: a.example, account_properties: *p }
`;
    const folder = await projectWith(tests);
    await expect(test(folder, "--update")).rejects.toThrow("cannot be updated");
    expect(await readFile(join(folder, "tests/accounts.yaml"), "utf8")).toBe(tests);
  });

  it("reads a file of rows as its connector does, those that it cannot read in their places", async () => {
    const tests = `${head}  - name: an export
    file: rows.csv
    expect:
      - record: { account_id: "1", domain: a.example, account_properties: { employees: 1, city: "" } }
      - reject: ragged_row
      - reject: { code: not_domain }
      - record: { type: account, account_id: "4", domain: d.example, account_properties: { city: "" } }
`;
    const connection = '{ connector: csv, path: none.csv, delimiter: ";" }';
    const folder = await projectWith(tests, { connection });
    const rows = "id;site;headcount;city\n1;a.example;1;\n2;b.example\n3;x;;\n4;d.example;;\n";
    await writeFile(join(folder, "tests/rows.csv"), rows);
    expect((await test(folder)).lines).toEqual(["ok    tests/accounts.yaml: 1 case"]);
    await writeFile(join(folder, "tests/rows.csv"), rows.replace(/4;.*\n/, ""));
    expect((await test(folder)).lines.slice(0, 3)).toEqual([
      "FAIL  tests/accounts.yaml:3: an export",
      '      line 9  - row 4: record: { type: account, account_id: "4", domain: d.example, ' +
        'account_properties: { city: "" } }',
      "              + row 4: (no row)",
    ]);
  });

  it("takes numbers of Postgres as their digits, and a null as none", async () => {
    const tests = `${head}  - name: a long key
    row: { id: 12345678901234567890, site: a.example, headcount: null, city: null }
    record: { account_id: "12345678901234567890", domain: a.example, account_properties: { city: null } }
`;
    const connection = "{ connector: postgres, url: 'postgres://me@here/crm' }";
    const folder = await projectWith(tests, {
      connection: connection.replace("}", ", table: crm.companies }"),
    });
    expect((await test(folder)).lines).toEqual(["ok    tests/accounts.yaml: 1 case"]);
  });

  it("rejects a number of more digits than JSON carries, as the source's row would be", async () => {
    const reject = "reject: { code: inexact_number, field: account_properties.n }";
    const tests = `${head}  - name: a long number
    row: { id: a, site: a.example, n: 9007199254740993 }
    ${reject}
  - name: one below
    row: { id: a, site: a.example, n: { of: [1, 0.12345678901234567890123] } }
    ${reject}
`;
    const folder = await projectWith(tests, {
      connection: "{ connector: jsonl, path: none.jsonl }",
      record:
        "{ account_id: id, domain: site, account_properties: { n: { column: n, as: json } } }",
    });
    expect((await test(folder)).lines).toEqual(["ok    tests/accounts.yaml: 2 cases"]);
  });

  it("stops the clock for a mapping module, in a zone, and tells what it leaves out", async () => {
    const tests = `now: 2026-03-29T00:30:00Z
time_zone: Europe/Paris
${head}  - name: the night when clocks change
    row: { id: 1 }
    record: { account_id: "1", domain: "1:30", account_properties: { at: "2026-03-29T00:30:00.000Z" } }
  - name: left out
    row: {}
    filtered: true
  - name: thrown
    row: { id: none }
    reject: mapping_failed
`;
    const folder = await projectWith(tests, { record: "map.ts" });
    await writeFile(
      join(folder, "map.ts"),
      `const loaded: Date = new Date();
export function mapRecord({ id }: { id?: string }): unknown {
  if (id === undefined) return null;
  if (id === "none") throw new Error(id);
  const domain = loaded.getHours() + ":" + new Date().getMinutes();
  const at = new Date(Date.now()).toISOString();
  return { account_id: id, domain, account_properties: { at } };
}
`,
    );
    const [zone, now] = [process.env["TZ"], Date.now()];
    expect((await test(folder)).lines).toEqual(["ok    tests/accounts.yaml: 3 cases"]);
    expect(process.env["TZ"]).toBe(zone);
    expect(Date.now()).toBeGreaterThanOrEqual(now);
  });
});
