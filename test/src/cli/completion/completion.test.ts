import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { readNames, type Names } from "../../../../src/cli/completion/names.ts";
import { scripts, shells } from "../../../../src/cli/completion/scripts.ts";
import { wordsFor } from "../../../../src/cli/completion/words.ts";
import { createProgram } from "../../../../src/cli/program.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { openSqliteStore } from "../../../../src/state/sqlite/open.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { StoreUnderTest } from "../../state/store-under-test.ts";

const cli = join(import.meta.dirname, "../../../../src/cli/main.ts");
const environment = readEnvironment({});
const ignore = (): void => undefined;

/** An invalid configuration: its names are there all the same. */
const yaml = `api: { api_key: "\${NOT_SET}" }
connections: { crm: {} }
syncs: { accounts: {}, archive: {}, "$(touch here)": {} }
pulls: { scores: {} }
`;

const names: Names = {
  syncs: ["accounts", "archive"],
  pulls: ["scores"],
  connections: ["crm"],
  runs: async (kind) => (kind === undefined ? ["r-1", "b-2"] : ["b-2"]),
};

async function completed(line: string): Promise<readonly string[]> {
  const words = line.split(" ");
  const context = { print: ignore, say: ignore, exit: ignore, environment, cwd: "/" };
  return await wordsFor(await createProgram(context, { verb: words[0] }), words, names);
}

describe("wordsFor()", () => {
  it.each([
    ["run a", ["accounts", "archive"]],
    ["run accounts ", ["accounts", "archive"]],
    ["run --full s", []],
    ["pull ", ["scores"]],
    ["check ", ["crm"]],
    ["runs ", ["list", "show", "prune"]],
    ["runs list --sync ", ["accounts", "archive", "scores"]],
    ["runs list --fa", ["--failed"]],
    ["runs show ", ["r-1", "b-2"]],
    ["pause ", ["b-2"]],
    ["schedule pause s", ["scores"]],
    ["state show ", ["accounts", "archive", "scores"]],
    ["run accounts --mode l", ["lightweight"]],
    ["run -n 5 ar", ["archive"]],
    ["run --limit ", []],
    ["help exit", ["exit-codes"]],
    ["completion z", ["zsh"]],
  ])("knows what comes next: %s", async (line, expected) => {
    expect(await completed(line)).toEqual(expected);
  });
});

describe("readNames()", () => {
  it("reads names of a file with mistakes, and runs where there is a store", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "sluice.yaml"), yaml);
    const found = await readNames({ cwd, environment }, undefined);
    expect(found).toMatchObject({ ...names, runs: expect.any(Function) as unknown });
    expect(await found.runs()).toEqual([]);
    const { folder, openRun } = await StoreUnderTest.open(openSqliteStore).then((test) => ({
      folder: test.folder,
      openRun: test.openRun.bind(test),
    }));
    await openRun("r-1", "sync");
    const env = readEnvironment({ SLUICE_STATE_DIR: folder });
    const there = await readNames({ cwd, environment: env }, "sluice.yaml");
    expect(await there.runs()).toEqual(["r-1"]);
    expect(await there.runs("backfill")).toEqual([]);
  });

  it("has none where no file is, or one that cannot be read", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "sluice.yaml"), "syncs: {");
    expect((await readNames({ cwd, environment }, undefined)).syncs).toEqual([]);
    expect((await readNames({ cwd, environment }, "none.yaml")).pulls).toEqual([]);
  });
});

describe("sluice completion", () => {
  it("completes in bash, and runs nothing that a name says", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "sluice.yaml"), yaml);
    const script = `sluice() { "${process.execPath}" "${cli}" "$@"; }
      eval "$(sluice completion bash)"
      complete -p sluice
      for line in "ru" "run a" "rejects list --si"; do
        COMP_WORDS=(sluice $line); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sluice
        echo "\${COMPREPLY[@]}"
      done
      ls`;
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd });
    expect(stdout.trim().split("\n")).toEqual([
      "complete -o default -F _sluice sluice",
      "run runs",
      "accounts archive",
      "--since",
      "sluice.yaml",
    ]);
  });

  it("has a script for each shell, which asks the program", () => {
    for (const shell of shells) expect(scripts[shell]).toContain(`sluice completion ${shell} -- `);
  });
});
