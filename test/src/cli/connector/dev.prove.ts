import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { until } from "../../../support/process/process.ts";
import { ConnectorFolder } from "../../../support/project/connector-folder.ts";

/** A folder with a new connector and seven rows for it, the third of which is malformed. */
async function withRows(): Promise<ConnectorFolder> {
  const folder = await ConnectorFolder.make();
  await folder.run("new", "demo", "--full");
  using database = new DatabaseSync(join(folder.folder, "rows.db"));
  database.exec("create table people (id text, name text, changed text)");
  const insert = database.prepare("insert into people values (?, ?, ?)");
  for (let id = 1; id <= 7; id++) {
    insert.run(String(id), id === 3 ? Buffer.from([255]) : `name ${id}`, timeOf(id));
  }
  return folder;
}

function timeOf(id: number): string {
  return `2026-01-01T00:00:0${id}.000000Z`;
}

function rowOf(id: number): object {
  return { id: String(id), name: `name ${id}`, changed: timeOf(id) };
}

function positionOf(id: number): object {
  return { changed: timeOf(id), id: String(id) };
}

describe("sluice connector dev", () => {
  it("reads what a file configures, page by page, with rejects marked", async () => {
    const folder = await withRows();
    await folder.write("people.yaml", "file: ${ROWS_FILE}\ntable: people\n");
    const args = ["dev", "demo", "--once", "--config", "people.yaml"];
    expect(await folder.run(...args)).toEqual({
      code: exitCodes.done,
      stdout: [
        ...[1, 2, 4, 5].map((id) => JSON.stringify(rowOf(id))),
        "reject people#3: bytes: The column name holds bytes, which are not text.",
        `position ${JSON.stringify(positionOf(5))}`,
        ...[6, 7].map((id) => JSON.stringify(rowOf(id))),
        `position ${JSON.stringify(positionOf(7))}`,
        "",
      ].join("\n"),
      stderr: "",
    });
    const some = await folder.run(
      ...args,
      "--limit",
      "2",
      "--from",
      JSON.stringify(positionOf(1)),
      "--json",
    );
    const facts = some.stdout.trimEnd().split("\n");
    expect(facts.map((line): unknown => JSON.parse(line))).toEqual([
      { place: "people#2", row: rowOf(2) },
      {
        place: "people#3",
        reject: { code: "bytes", reason: "The column name holds bytes, which are not text." },
      },
      { position: positionOf(3) },
    ]);
    expect(some.stderr).toContain("these were the first 2: --limit reads more");
  });

  it("says where a configuration or a position is wrong", async () => {
    const folder = await withRows();
    await folder.write("people.yaml", "file: rows.db\ntabel: people\n");
    const refusal = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await folder.run("dev", "demo", "--once", ...args);
      expect([code, stdout]).toEqual([exitCodes.usage, ""]);
      return stderr;
    };
    const wrongFile = await refusal("--config", "people.yaml");
    expect(wrongFile).toContain('people.yaml:2:1: unknown member "tabel" (did you mean "table"?)');
    expect(await refusal("--config", "none.yaml")).toContain("none.yaml: there is no such file");
    const set = ["--set", "file=rows.db", "--set", "table=people"];
    const wrongMember = await refusal(...set, "--set", "overlap_seconds=soon");
    expect(wrongMember).toMatch(/overlap_seconds: must be .*number/);
    expect(await refusal(...set, "--from", '{"id":"1"}')).toContain(
      "--from is not a position of this source: changed ",
    );
    expect(await refusal("--set", "file")).toContain("It must be name=value.");
    expect(await refusal(...set, "--limit", "0")).toContain("must be a whole number above 0");
    expect(await refusal(...set, "--config", "people.yaml")).toContain("cannot be used with");
    expect(await refusal("--set", "file=rows.db", "--set", "table=none")).toContain(
      "rows.db has no such table",
    );
  });

  it("shows whoever writes it where their code went wrong", async () => {
    const folder = await withRows();
    await folder.change("demo/row.ts", "const where =", "Object.fail();\n  const where =");
    const { code, stderr } = await folder.run("dev", "demo", "--once");
    expect(code).toBe(exitCodes.failed);
    expect(stderr).toMatch(
      /^sluice: connector \.\/demo fails at demo\/row\.ts:\d+: TypeError: Object\.fail is not a function$/m,
    );
    expect(stderr).not.toContain("    at ");
  });

  it("prints the events of a delivery", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "hook", "--push", "--full");
    const { code, stdout } = await folder.run("dev", "hook", "--once");
    expect([code, stdout]).toEqual([
      exitCodes.done,
      '{"id":"event-1"}\n{"id":"event-2"}\n{"id":"event-3"}\n',
    ]);
    await folder.change("hook/receive.ts", "if (!isSigned", "if (isSigned");
    expect(await folder.run("dev", "hook", "--once")).toMatchObject({
      code: exitCodes.failed,
      stdout: "refused 401: bad_signature\n",
    });
  });

  it("reads again on each save, mistakes too, until it is stopped", async () => {
    const folder = await withRows();
    await folder.write("people.yaml", "file: rows.db\ntable: people\n");
    const args = ["dev", "demo", "--config", "people.yaml", "--limit", "1"];
    const { child, printed, ended } = folder.start(args);
    const reads = (): number => printed().stdout.split("position").length - 1;
    const says = (text: string): boolean => printed().stderr.includes(text);
    /** Saves a file; returns once rows were read again, and this text was printed. */
    const save = async (name: string, text: string, said: string): Promise<void> => {
      const before = reads();
      await folder.write(name, text);
      await until(async () => reads() > before && says(said));
    };
    await until(async () => reads() > 0);

    await folder.change(
      "demo/read.ts",
      "import { pageOf",
      'import { mine } from "./mine.ts";\nprocess.stderr.write(mine);\nimport { pageOf',
    );
    await until(async () => says("demo cannot be loaded: demo/index.ts: Cannot find module"));
    await save("demo/mine.ts", "export const mine = 'first';\n", "first");
    await save("demo/mine.ts", "export const mine = 'second';\n", "second");
    await folder.write("demo/mine.ts", "export const mine = ;\n");
    await until(async () => says("demo cannot be loaded: demo/mine.ts:1"));
    await save("demo/mine.ts", "export const mine = 'third';\n", "third");
    const more = "file: rows.db\ntable: people\noverlap_seconds: 1\n";
    await save("people.yaml", more, "people.yaml was saved");
    child.kill("SIGINT");
    // Its pipes close only when every process that inherited them is gone.
    expect(await ended).toMatchObject({ code: exitCodes.done });
  });
});
