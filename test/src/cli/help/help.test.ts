import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { CommanderError, type Command } from "commander";
import { beforeEach, describe, expect, it } from "vitest";

import { entries } from "../../../../src/cli/help/entries.ts";
import { pathOf } from "../../../../src/cli/help/help.ts";
import { usageFacts } from "../../../../src/cli/help/usage-error.ts";
import type { CommonOptions } from "../../../../src/cli/output/common-options.ts";
import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { commandsBelow, createProgram, isCalled } from "../../../../src/cli/program.ts";
import { verbGroups } from "../../../../src/cli/verbs.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";

const root = join(import.meta.dirname, "../../../..");

let program: Command;
let printed: string[];
let obeyed: CommonOptions[];

beforeEach(async () => {
  printed = [];
  obeyed = [];
  const print = (text: string): void => void printed.push(text);
  const environment = readEnvironment({});
  const context = { print, say: print, exit: () => undefined, environment, cwd: root };
  program = await createProgram(context, { obey: (options) => void obeyed.push(options) });
  const silent = { writeOut: print, writeErr: () => undefined, outputError: () => undefined };
  for (const command of [program, ...commandsBelow(program)]) command.configureOutput(silent);
});

/** The words into which a shell splits a line: `sluice` here prints its arguments. */
function wordsOf(line: string): string[] {
  const script = `sluice() { printf '%s\\0' "$@" >&3; }; ${line}\ntrue`;
  const output = execFileSync(
    "bash",
    ["-c", `exec 3>&1 >/dev/null; cd "$(mktemp -d)"; ${script}`],
    {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], CRM_DATABASE_URL: "none" },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  return output.split("\0").slice(0, -1);
}

/** The command that a line calls; throws the program's error if the line is wrong. */
async function called(line: string): Promise<string> {
  let found = "";
  for (const command of commandsBelow(program)) {
    command.action(() => void (found = pathOf(command).join(" ")));
  }
  await program.parseAsync(wordsOf(line), { from: "user" });
  return found;
}

/** The program's error for words that it does not accept. */
async function refusal(...words: string[]): Promise<unknown> {
  const error: unknown = await program
    .parseAsync(words, { from: "user" })
    .catch((why: unknown) => why);
  if (!(error instanceof CommanderError)) throw error;
  return usageFacts(error, program, words);
}

function helpOf(command: Command): string {
  printed = [];
  command.outputHelp();
  return printed.join("");
}

describe("the help of every command", () => {
  it("ends with an example and the page of the documentation", () => {
    for (const command of [program, ...commandsBelow(program)]) {
      expect(helpOf(command)).toMatch(
        /\nExamples:\n( {2}\$ .*sluice .*\n)+\nDocumentation: .*\.md\n$/,
      );
    }
  });

  it("has examples for every command that does something, and no other", () => {
    const paths = commandsBelow(program)
      .filter(isCalled)
      .map((command) => pathOf(command).join(" "));
    expect(Object.keys(entries).toSorted()).toEqual(["", ...paths].toSorted());
  });

  it.each(Object.entries(entries))(
    "has examples that the program takes: %s",
    async (path, entry) => {
      const found: string[] = [];
      for (const example of entry.examples) found.push(await called(example));
      // Sentences about the program itself concern several commands.
      expect(found.filter((each) => path !== "" && each !== path)).toEqual([]);
      expect(existsSync(join(root, entry.page))).toBe(true);
    },
  );

  it("lists every verb below the heading of its group, and the common options of each", () => {
    const help = helpOf(program);
    const headings = Object.keys(verbGroups);
    expect(headings.filter((heading) => !help.includes(`\n${heading}\n`))).toEqual([]);
    expect(help).toContain("exit-codes");
    const lacking = commandsBelow(program)
      .filter(isCalled)
      .filter((command) => !helpOf(command).includes("--quiet"));
    expect(lacking.map(pathOf)).toEqual([]);
  });

  it.each([60, 80, 120])(
    "fits into %i columns, all but the examples, which are there to be copied",
    (columns) => {
      const lines = [program, ...commandsBelow(program)].flatMap((command) => {
        command.configureOutput({ getOutHelpWidth: () => columns });
        return helpOf(command).split("\n");
      });
      expect(lines.filter((line) => line.length > columns && !line.startsWith("  $ "))).toEqual([]);
      expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(columns * 0.9);
    },
  );

  it("fits as well where the build has written down the verbs", async () => {
    const usage = "completion <shell> [words...]";
    const description = program.commands
      .find((each) => each.name() === "completion")
      ?.description();
    const verb = { name: "completion", heading: "Develop:", usage, description: description ?? "" };
    const context = { print: () => undefined, say: () => undefined, exit: () => undefined };
    const shown = await createProgram(
      { ...context, environment: readEnvironment({}), cwd: root },
      { overview: [verb] },
    );
    shown.configureOutput({
      writeOut: (text) => void printed.push(text),
      getOutHelpWidth: () => 60,
    });
    const lines = helpOf(shown).split("\n");
    expect(lines.some((line) => line.startsWith(`  ${usage}  print`))).toBe(true);
    expect(lines.filter((line) => line.length > 60 && !line.startsWith("  $ "))).toEqual([]);
  });

  it("names the options of every command first", () => {
    const help = helpOf(program);
    const at = help.indexOf("Options of every command:");
    expect(help.slice(at)).toContain("--no-color");
    expect([at > 0, at < help.indexOf("\nStart:")]).toEqual([true, true]);
  });

  it("is also printed by `sluice help`, which knows verbs of verbs and the exit codes", async () => {
    await program.parseAsync(["help", "runs", "list"], { from: "user" });
    expect(printed.join("")).toMatch(/^Usage: sluice runs list /);
    printed = [];
    await program.parseAsync(["help", "exit-codes"], { from: "user" });
    const codes = [...printed.join("").matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) =>
      Number(code),
    );
    expect(codes).toEqual(Object.values(exitCodes).toSorted((a, b) => a - b));
    await expect(program.parseAsync(["help", "exit-code"], { from: "user" })).rejects.toThrow(
      'there is no command "exit-code" (did you mean "exit-codes"?)',
    );
  });
});

describe("the options of every command", () => {
  it.each([
    ["--quiet help exit-codes", { quiet: true }],
    ["help exit-codes --quiet", { quiet: true }],
    ["--no-color help exit-codes", { color: false }],
    ["--color always --verbose help exit-codes", { color: "always", verbose: true }],
    ["--color always --quiet help --color never exit-codes", { color: "never", quiet: true }],
    ["--quiet help --verbose exit-codes", { verbose: true }],
  ])("are taken before its name and behind it: %s", async (words, asked) => {
    await program.parseAsync(words.split(" "), { from: "user" });
    expect(obeyed).toEqual([asked]);
  });
});

describe("a wrong call", () => {
  it("is told as the program's own errors are, with how the command is called", async () => {
    expect(await refusal("cancel")).toEqual({
      code: "Usage",
      message: "missing required argument 'run'",
      hint: "sluice cancel [options] <run>; `sluice cancel --help` says more",
    });
    expect(await refusal("runs", "list", "--jsno")).toMatchObject({
      message: "unknown option '--jsno' (did you mean --json?)",
      hint: expect.stringContaining("`sluice runs list --help`") as unknown,
    });
    expect(await refusal("--quiet", "runs", "list", "--jsno")).toMatchObject({
      hint: expect.stringContaining("`sluice runs list --help`") as unknown,
    });
    expect(await refusal("statsu")).toMatchObject({
      message: "unknown command 'statsu' (did you mean status?)",
    });
  });

  it("says nothing beside a help text", async () => {
    expect(await refusal("runs")).toBeUndefined();
  });
});
