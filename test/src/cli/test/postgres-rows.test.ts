import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { expect, it } from "vitest";

import { registerTest } from "../../../../src/cli/test/test.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const yaml = `version: 1
api: { api_key: test-key }
connections:
  crm: { connector: postgres, url: "postgres://me@here/crm", table: crm.companies }
syncs:
  accounts:
    from: crm
    stream: account
    record:
      account_id: id
      domain: site
      account_properties:
        n: n
        ok: ok
        is_ok: { column: ok, as: boolean }
        none: { column: none, empty: keep }
        tags: tags
`;

it("takes each value of Postgres as its text, in a row and in a file, because a run reads it so", async () => {
  const values = `{ "id": 1, "site": "a.example", "n": 9007199254740993, "ok": true, "none": null,
      "tags": ["a", { "b": 12345678901234567890 }] }`;
  const record = `record: { account_id: "1", domain: a.example, account_properties: { n: "9007199254740993",
      ok: "true", is_ok: true, none: null, tags: '["a",{"b":12345678901234567890}]' } }`;
  const tests = `sync: accounts\ncases:\n  - name: in a row\n    row: ${values}\n    ${record}
  - name: in a file\n    file: rows.json\n    expect: [{ ${record} }]\n`;
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "tests"));
  await writeFile(join(cwd, "sluice.yaml"), yaml);
  await writeFile(join(cwd, "tests", "accounts.yaml"), tests);
  await writeFile(join(cwd, "tests", "rows.json"), values);
  const lines: string[] = [];
  const program = new Command().exitOverride();
  const print = (text: string): void => void lines.push(text);
  const environment = readEnvironment({});
  registerTest(program, { cwd, environment, print, say: print, exit: () => {} });
  await program.parseAsync(["test"], { from: "user" });
  expect(lines).toEqual(["ok    tests/accounts.yaml: 2 cases"]);
});
