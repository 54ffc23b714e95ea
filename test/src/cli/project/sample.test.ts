import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { FlagAnswers, type Flag } from "../../../../src/cli/project/answers.ts";
import { planProject, type InitPlan } from "../../../../src/cli/project/init-plan.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

/** Plans a project over a file of these bytes, with these answers and nobody to ask. */
async function plan(
  file: string | Buffer,
  more: readonly (readonly [Flag, string])[] = [],
): Promise<InitPlan> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "a.csv"), file);
  const given = [["connector", "csv"], ["path", "a.csv"], ["stream", "account"], ...more] as const;
  const { signal } = new AbortController();
  return await planProject(new FlagAnswers(new Map(given)), {
    folder,
    variables: new Map(),
    signal,
  });
}

it("takes numbers, dates, booleans and the encoding of a file from its first rows", async () => {
  const text = `id;website;nom;fond\u00e9;open;seen;local;zip
1;a.example;Soci\u00e9t\u00e9;2001-02-03;true;2026-01-02T03:04:05Z;2026-01-02 03:04;75001
2;b.example;7;2002-02-03;false;2026-01-02T03:04:05+02:00;2026-01-02 03:04;1
`;
  const { reads, sync, comments } = await plan(Buffer.from(text, "latin1"));
  expect(reads).toEqual({ path: "a.csv", encoding: "windows-1252" });
  expect(sync).toContain(`account_properties:
      nom: nom
      fond\u00e9: { column: fond\u00e9, as: date }
      open: { column: open, as: boolean }
      seen: { column: seen, as: datetime }
      local: local
      zip: zip
`);
  expect(comments.join("\n")).toContain("numbers, dates and booleans are what the first rows hold");
});

it("refuses a key that repeats and a column without domains, with the count", async () => {
  const file = "cik,name,site\n1,A,a.example\n1,B,b.example\n2,C,\n";
  await expect(
    plan(file, [
      ["id", "cik"],
      ["domain", "site"],
    ]),
  ).rejects.toThrow(
    "the column cik names no row: it repeats (a.csv:3 has the value of a.csv:2) in 1 of the first 3 rows",
  );
  await expect(
    plan(file, [
      ["id", "name"],
      ["domain", "name"],
    ]),
  ).rejects.toMatchObject({
    message: "the column name holds a domain in 0 of the first 3 rows, and every record needs one",
    hint:
      "name another column; where none holds it, make it of others in sluice.yaml: domain: { " +
      'template: "{column}.example.com" }',
  });
  expect(
    (
      await plan(file, [
        ["id", "name"],
        ["domain", "site"],
      ])
    ).sync,
  ).toContain("account_id: name");
});

it("says of rows of a key that came before how a file with some is begun with all the same", async () => {
  const few = plan("nr,site\n1,a.example\n2,b.example\n2,c.example\n", [
    ["id", "nr"],
    ["domain", "site"],
  ]);
  await expect(few).rejects.toMatchObject({
    hint:
      "name a column with a value in every row, and never the same one twice; a record is found again by it; where " +
      "these rows alone are wrong, take them out until sluice.yaml is written: a run rejects them, no others",
  });
});

it("takes rows of separators alone for no rows that a key must name", async () => {
  const { sync } = await plan("nr,site\n1,a.example\n,\n,\n", [
    ["id", "nr"],
    ["domain", "site"],
  ]);
  expect(sync).toContain("account_id: nr");
});

it("finds a column called with blanks around its name by the name, and shows them", async () => {
  const file = "nr ,site\n1,a.example\n";
  await expect(plan(file)).rejects.toThrow("--id, --domain are missing");
  await expect(plan(file)).rejects.toMatchObject({ hint: 'one of: "nr ", site' });
  const { sync } = await plan(file, [
    ["id", "nr"],
    ["domain", "site"],
  ]);
  expect(sync).toContain('account_id: "nr "');
});
