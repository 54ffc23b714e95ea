// The verbs as the program's own help shows them, written by the build, so that printing it needs no verb's code.
import { readFileSync, writeFileSync } from "node:fs";

import type { Command } from "commander";

/** A verb as the program's help shows it. */
export type ShownVerb = {
  readonly name: string;
  /** The heading of its group. */
  readonly heading: string;
  /** How it is called: `run [options] [syncs...]`. */
  readonly usage: string;
  readonly description: string;
};

/** In dist; there is none beside the sources. */
const file = new URL("../../../overview.json", import.meta.url);

/** The verbs that the build wrote, in their order; undefined if it wrote none, as beside the sources. */
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

/** Writes the verbs of a program that has all of them. */
export function writeOverview(program: Command): void {
  writeFileSync(file, JSON.stringify(overviewOf(program)));
}

/** The verbs as the help of a program shows them, without `help`, which every program has. */
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

/** Gives a program verbs that can be shown but not called. */
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
