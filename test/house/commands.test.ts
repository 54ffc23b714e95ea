import { join } from "node:path";

import type { Command, Option } from "commander";
import { expect, it } from "vitest";

import { entries } from "../../src/cli/help/entries.ts";
import { exitCodesText, pathOf } from "../../src/cli/help/help.ts";
import { commonHeading, commonOptions } from "../../src/cli/output/common-options.ts";
import { commandsBelow, createProgram, isCalled } from "../../src/cli/program.ts";
import { verbGroups } from "../../src/cli/verbs.ts";
import { readEnvironment } from "../../src/config/environment.ts";

const root = join(import.meta.dirname, "../..");

function ignore(): void {}

function optionLine(command: Command, option: Option): string {
  const help = command.createHelp();
  return `- \`${help.optionTerm(option)}\`: ${help.optionDescription(option)}`;
}

/** One command: its usage, its purpose, its own options and its examples. */
function sectionOf(command: Command): string[] {
  const called = ["sluice", ...pathOf(command)].join(" ");
  const entry = entries[pathOf(command).join(" ")];
  const options = command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.helpGroupHeading !== commonHeading && option.long !== "--help");
  const page = entry?.page.replace(/^docs\//, "");
  return [
    `### \`${`${called} ${command.usage()}`.replace(" [options]", "").replace(" [command]", "")}\``,
    "",
    `${command.description()}.`.replace(/^./, (first) => first.toUpperCase()),
    "",
    ...options.map((option) => optionLine(command, option)),
    ...(options.length === 0 ? [] : [""]),
    "```sh",
    ...(entry?.examples ?? []),
    "```",
    ...(page === "commands.md" ? [] : ["", `More: [${page}](${page}).`]),
    "",
  ];
}

/** The page of all commands, made from their help texts. */
function pageOf(program: Command): string {
  const groups = Object.entries(verbGroups).flatMap(([heading, verbs]) => {
    const commands = commandsBelow(program).filter(
      (command) => isCalled(command) && Object.hasOwn(verbs, pathOf(command)[0] ?? ""),
    );
    return [`## ${heading.slice(0, -1)}`, "", ...commands.flatMap(sectionOf)];
  });
  return [
    "# Commands",
    "",
    "What `--help` of each command says. This page is made by `npm run docs`; a test compares it with the commands.",
    "",
    "Every command takes, before its name or behind it:",
    "",
    ...commonOptions().map((option) => optionLine(program, option)),
    "",
    ...groups,
    "## How a command ends",
    "",
    "```text",
    ...exitCodesText().split("\n").slice(2),
    "```",
    "",
  ].join("\n");
}

/** Words that people confuse: of each line, only one is the name of a flag. */
const synonyms = [
  "limit rows count max top first number",
  "reason note why comment message because",
  "yes confirm assume-yes no-ask approve",
  "since after newer-than begun-since",
  "older-than before until",
  "out output dest destination",
  "time-zone timezone tz zone",
  "config config-file conf",
  "no-wait detach background async",
  "quiet silent",
  "verbose debug trace",
  "ddl sql print-sql",
  "lanes parallel concurrency workers",
  "only checks filter",
  "undo revert",
  "dir directory folder",
  "port listen-port",
  "place where location",
];

it("has one flag for each thing", async () => {
  const environment = readEnvironment({});
  const context = { print: ignore, say: ignore, exit: ignore, environment, cwd: root };
  const named = commandsBelow(await createProgram(context)).flatMap((command) =>
    command.options.map((option) => option.long?.replace(/^--/, "") ?? ""),
  );
  const flags = new Set([...named, ...commonOptions().map(({ long }) => long?.slice(2) ?? "")]);
  const doubled = synonyms.map((words) => words.split(" ").filter((word) => flags.has(word)));
  expect(doubled.filter((words) => words.length > 1)).toEqual([]);
  expect(flags).toContain("limit");
  // Nor does one letter stand for two flags.
  const short = commandsBelow(await createProgram(context)).flatMap(({ options }) =>
    options.flatMap((option) => (option.short === undefined ? [] : [[option.short, option.long]])),
  );
  expect(new Map(short.map(([letter, long]) => [long, letter])).size).toBe(
    new Set(short.map(([letter]) => letter)).size,
  );
});

it("docs/commands.md has every command as its help has it: else run `npm run docs`", async () => {
  const environment = readEnvironment({});
  const context = { print: ignore, say: ignore, exit: ignore, environment, cwd: root };
  const page = pageOf(await createProgram(context));
  await expect(page).toMatchFileSnapshot(join(root, "docs/commands.md"));
});
