import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { registerCheck } from "../../../../../src/cli/project/check.ts";
import { readEnvironment } from "../../../../../src/config/environment.ts";
import { temporaryFolder } from "../../../../support/process/temporary-folder.ts";

const yaml = `version: 1
api: { api_key: test-key }
connections:
  files: { connector: csv, path: a.csv }
  wide:
    connector: csv
    path: wide.csv
    encoding: utf-16le
  json: { connector: jsonl, path: a.jsonl }
  posted: { connector: webhook, path: /hooks/a, signature: none, allow_unsigned: true }
syncs:
  rules:
    from: files
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
  module: { from: files, stream: account, record: ./map.ts }
  parsed:
    from: files
    stream: account
    record:
      account_id: id
      domain: domain
      account_properties:
        name: name
        tags:
          column: name
          as: json
  sixteen: { from: wide, stream: account, record: ./map.ts }
  ruled: { from: json, stream: account, record: { account_id: id, domain: a.b, account_properties: {} } }
  mapped: { from: json, stream: account, record: ./map.ts }
  events: { from: posted, stream: account, record: ./map.ts }
`;

const cost = "so each row takes 1.6 to 2 times the processor time that it would otherwise";
const page = "see docs/mapping.md#speed";

type Checked = { readonly lines: readonly string[]; readonly code: number | undefined };

/** Runs `sluice check` of a connection of a project with these files. */
async function check(
  connection: string,
  how: {
    readonly text?: string;
    readonly isQuiet?: boolean;
    readonly options?: readonly string[];
    readonly header?: string;
  } = {},
): Promise<Checked> {
  const cwd = await temporaryFolder();
  const { text = yaml, isQuiet = false, options = [], header = "id,domain,name" } = how;
  await writeFile(join(cwd, "sluice.yaml"), text);
  await writeFile(join(cwd, "a.csv"), `${header}\n`);
  await writeFile(join(cwd, "wide.csv"), Buffer.from("id,domain,name\n", "utf16le"));
  await writeFile(join(cwd, "a.jsonl"), '{"id":"1"}\n');
  await writeFile(join(cwd, "map.ts"), "export function mapRecord() { return null; }\n");
  const lines: string[] = [];
  let code: number | undefined;
  const program = new Command().exitOverride();
  registerCheck(program, {
    cwd,
    environment: readEnvironment(),
    print: (line) => void lines.push(line),
    say: () => undefined,
    isQuiet: () => isQuiet,
    exit: (given) => {
      code = given;
    },
  });
  await program.parseAsync(["check", connection, ...options], { from: "user" });
  return { lines, code };
}

function notesIn({ lines }: Checked): readonly string[] {
  return lines.filter((line) => line.startsWith("note"));
}

describe("what sluice check says of the speed of a sync", () => {
  it("names the cause and the cost of rows that are objects, with the place, and finds nothing wrong", async () => {
    const checked = await check("files");
    expect(notesIn(checked)).toEqual([
      `note  sync module: sluice.yaml:16: a mapping module makes its records, ${cost}; ${page}`,
      `note  sync parsed: sluice.yaml:27: account_properties.tags is read \`as: json\`, ${cost}; ${page}`,
    ]);
    expect(checked.lines.filter((line) => line.startsWith("FAIL"))).toEqual([]);
    expect(checked.code).toBeUndefined();
  });

  it("names the encoding where it is written, and each further cause", async () => {
    expect(notesIn(await check("wide"))).toEqual([
      "note  sync sixteen: sluice.yaml:8: wide.csv is utf-16le and not utf-8, " +
        `and a mapping module makes its records, ${cost}; ${page}`,
    ]);
    const own = "from: { connection: wide, encoding: utf-16le }";
    const moved = yaml.replace("    encoding: utf-16le\n", "").replace("from: wide", own);
    expect(notesIn(await check("wide", { text: moved }))).toEqual([
      expect.stringContaining("sync sixteen: sluice.yaml:27: wide.csv is utf-16le"),
    ]);
  });

  it("tells of JSON lines only what rules cannot say", async () => {
    expect(notesIn(await check("json"))).toEqual([
      `note  sync mapped: sluice.yaml:30: a mapping module makes its records, ${cost}; ${page}`,
    ]);
  });

  it("names a file with very many columns by the sync that reads it", async () => {
    const more = Array.from({ length: 254 }, (_, index) => `c${index}`);
    const header = ["id", "domain", "name", ...more].join(",");
    const [note] = notesIn(await check("files", { header }));
    expect(note).toBe(
      `note  sync rules: sluice.yaml:13: a.csv has 257 columns, more than 256, ${cost}; ${page}`,
    );
    const fewer = header.replace(",c253", "");
    expect(notesIn(await check("files", { header: fewer })).join()).not.toContain("sync rules");
  });

  it("is silent with --quiet, of what cannot be reached, and of rows that are no bytes", async () => {
    expect(notesIn(await check("files", { isQuiet: true }))).toEqual([]);
    const none = yaml.replace("path: a.csv", "path: none.csv");
    expect(notesIn(await check("files", { text: none }))).toEqual([]);
    const { lines, code } = await check("posted");
    expect(lines).toContain("ok    posted: path: POST /hooks/a");
    expect(notesIn({ lines, code })).toEqual([]);
  });

  it("says with --json what makes it no finding", async () => {
    const { lines } = await check("files", { options: ["--json"] });
    const notes = lines.map((line): unknown => JSON.parse(line)).slice(-2);
    expect(notes).toEqual([
      {
        subject: "sync module",
        name: "sluice.yaml:16",
        ok: true,
        isNote: true,
        detail: `a mapping module makes its records, ${cost}; ${page}`,
      },
      expect.objectContaining({ subject: "sync parsed", isNote: true }),
    ]);
  });
});
