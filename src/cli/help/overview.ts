// What the program's own help tells of each verb, written down by the build: to print it needs no verb's code.
import { readFileSync, writeFileSync } from "node:fs";

import type { Command } from "commander";

/** A verb as the program's help shows it. */
export type ShownVerb = {
  readonly name: string;
  /** Of its group. */
  readonly heading: string;
  /** How it is called: `run [options] [syncs...]`. */
  readonly usage: string;
  readonly description: string;
};

/** In dist; beside the sources there is none. */
const file = new URL("../../../overview.json", import.meta.url);

/** The verbs that the build wrote down, in their order; undefined where it did not, as beside the sources. */
export function readOverview(): readonly ShownVerb[] | undefined {
  try {
    const verbs: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isOverview(verbs) ? verbs : undefined;
  } catch {
    return undefined;
  }
}

function isOverview(verbs: unknown): verbs is readonly ShownVerb[] {
  return Array.isArray(verbs);
}

/** Writes down the verbs of a program that has all of them. */
export function writeOverview(program: Command): void {
  writeFileSync(file, JSON.stringify(overviewOf(program)));
}

/** What the help of a program shows of its verbs; `help` itself is in every program. */
function overviewOf(program: Command): readonly ShownVerb[] {
  const help = program.createHelp();
  const verbs = program.commands.filter((verb) => verb.name() !== "help");
  return verbs.map((verb) => ({
    name: verb.name(),
    heading: verb.helpGroup(),
    usage: help.subcommandTerm(verb),
    description: help.subcommandDescription(verb),
  }));
}

/** Gives a program verbs that can be shown and not called. */
export function showVerbs(program: Command, verbs: readonly ShownVerb[]): void {
  const usages = new Map(verbs.map(({ name, usage }) => [name, usage]));
  const help = program.createHelp();
  program.configureHelp({
    ...program.configureHelp(),
    subcommandTerm: (verb) => usages.get(verb.name()) ?? help.subcommandTerm(verb),
  });
  for (const { name, heading, description } of verbs)
    program.commandsGroup(heading).command(name).description(description);
}
