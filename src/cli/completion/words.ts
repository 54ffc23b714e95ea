import type { Command, Option } from "commander";

import { topicNames } from "../help/help.ts";
import type { Names } from "./names.ts";

/** The words typed so far, parsed as the program parses them. */
type Typed = {
  readonly command: Command;
  /** How many arguments of the command were typed. */
  readonly count: number;
  /** The option whose value comes next. */
  readonly option: Option | undefined;
};

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function read(program: Command, words: readonly string[]): Typed {
  let typed: Typed = { command: program, count: 0, option: undefined };
  for (const word of words) {
    const { command, count, option } = typed;
    if (option !== undefined) {
      typed = { command, count, option: undefined };
    } else if (word.startsWith("-")) {
      const found = command.options.find((each) => each.long === word || each.short === word);
      typed = { command, count, option: found && takesValue(found) ? found : undefined };
    } else {
      const verb = count === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      typed =
        verb === undefined
          ? { command, count: count + 1, option }
          : { command: verb, count: 0, option };
    }
  }
  return typed;
}

/** The values for an argument, or for the value of an option, of this name. */
async function named(name: string, names: Names, command: Command): Promise<readonly string[]> {
  if (name === "connection") return names.connections;
  if (name === "pull") return names.pulls;
  if (name === "syncs") return names.syncs;
  if (name === "run") {
    const isOfBackfill = ["pause", "resume"].includes(command.name());
    return await names.runs(isOfBackfill ? "backfill" : undefined);
  }
  const isOfSyncs = name === "sync" || command.parent?.name() === "schedule";
  return isOfSyncs ? [...names.syncs, ...names.pulls] : [];
}

async function argumentsOf({ command, count }: Typed, names: Names): Promise<readonly string[]> {
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[count] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return [];
  const name = argument.name();
  // These commands take no pull.
  const ofSync = ["preview", "backfill"].includes(command.name()) ? "syncs" : name;
  return argument.argChoices ?? (await named(ofSync, names, command));
}

async function candidates(typed: Typed, current: string, names: Names): Promise<readonly string[]> {
  const { command, count, option } = typed;
  if (option !== undefined) {
    const value = /<([\w-]+)/.exec(option.flags)?.[1] ?? "";
    const kind = option.attributeName() === "sync" ? "sync" : value;
    return option.argChoices ?? (await named(kind, names, command));
  }
  if (current.startsWith("-")) {
    const { options } = command;
    return options.flatMap(({ long, hidden }) =>
      hidden || typeof long !== "string" ? [] : [long],
    );
  }
  const verbs = count === 0 ? command.commands.map((each) => each.name()) : [];
  return [...verbs, ...(await argumentsOf(typed, names))];
}

/** The words that can replace the last one: commands, options, their values, and the names of the project. */
export async function wordsFor(
  program: Command,
  words: readonly string[],
  names: Names,
): Promise<readonly string[]> {
  const current = words.at(-1) ?? "";
  const typed = read(program, words.slice(0, -1));
  const { command, count } = typed;
  const isHelp = command.name() === "help";
  const found =
    isHelp && count === 0 ? helpWords(program) : await candidates(typed, current, names);
  return found.filter((word) => word.startsWith(current));
}

function helpWords(program: Command): readonly string[] {
  return [...program.commands.map((each) => each.name()), ...topicNames];
}
