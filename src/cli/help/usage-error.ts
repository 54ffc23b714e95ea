import type { Command, CommanderError } from "commander";

import type { ShownError } from "../output/output.ts";
import { pathOf } from "./help.ts";

/** The command that was typed, as far as its words name commands. */
function typedCommand(program: Command, words: readonly string[]): Command {
  const [word, ...rest] = words;
  if (word?.startsWith("-") === true) return typedCommand(program, rest);
  const found = program.commands.find((each) => each.name() === word);
  return found === undefined ? program : typedCommand(found, rest);
}

/**
 * What was wrong in the call of a command, in the form of the program's own errors; undefined if it only printed a help
 * text.
 */
export function usageFacts(
  { code, message }: CommanderError,
  program: Command,
  words: readonly string[],
): ShownError | undefined {
  if (code === "commander.help") return undefined;
  const command = typedCommand(program, words);
  const called = ["sluice", ...pathOf(command)].join(" ");
  const [said = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const meant = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion ?? "")?.[1];
  return {
    code: "Usage",
    message: meant === undefined ? said : `${said} (did you mean ${meant}?)`,
    hint: `${called} ${command.usage()}`.trimEnd() + `; \`${called} --help\` says more`,
  };
}
