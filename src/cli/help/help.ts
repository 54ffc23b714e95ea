import type { Command } from "commander";

import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError } from "../../errors.ts";
import type { Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";

const codes: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done: everything that was asked for",
  failed: "failed: for another reason than those below",
  usage:
    "something is wrong with the command, the configuration, a key or a folder: a person has to fix it",
  doneWithRejects:
    "done with rejects: all but the rows that were refused, which `sluice rejects list` shows; " +
    "for `verify`: something is missing or different",
  unreachable:
    "the service, Temporal, a worker or a store in Postgres could not be reached: trying again later may help",
  held:
    "held: a guardrail was broken, and nothing is sent until somebody agrees (`sluice approve`); " +
    "for `plan`: something would be sent, the run held, or a call made",
  interrupted: "interrupted: by Ctrl-C or a signal",
};

/** What each exit code means, a line each, in the order of the codes. */
export function exitCodesText(): string {
  const lines = Object.entries(exitCodes)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, code]) => `  ${String(code).padEnd(3)}  ${textOf(name)}`);
  return [
    "How a command ends:",
    "",
    ...lines,
    "",
    "With several syncs in one command, the worst counts: 0, 3, 5, 1, 2, 4, 130, the worst last.",
  ].join("\n");
}

function textOf(name: string): string {
  return Object.entries(codes).find(([each]) => each === name)?.[1] ?? "";
}

/** The topics of help besides commands. */
const topics: Readonly<Record<string, () => string>> = { "exit-codes": exitCodesText };

/** The names of the topics. */
export const topicNames: readonly string[] = Object.keys(topics);

/** The command with these words. @throws {ConfigError} there is none; the message lists those that there are. */
function commandNamed(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find((each) => each.name() === word);
    if (found !== undefined) return found;
    const names = command.commands.map((each) => each.name());
    const all = command === program ? [...names, ...topicNames] : names;
    const path = [...pathOf(command), word].join(" ");
    throw new ConfigError(`there is no command "${path}"${didYouMean(word, all)}`, {
      hint: all.length === 0 ? undefined : `there are: ${all.join(", ")}`,
    });
  }, program);
}

/** The words of a command, as they are typed after `sluice`. */
export function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** `sluice help [command]`. */
export const registerHelp: Register = (program, context) => {
  program
    .command("help [command...]")
    .description("the help of a command; `help exit-codes` lists how a command can end")
    .action((words: readonly string[]) => {
      const topic = words.length === 1 ? topics[words[0] ?? ""] : undefined;
      if (topic !== undefined) return context.print(topic());
      return commandNamed(program, words).outputHelp();
    });
};
