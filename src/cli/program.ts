import { Command } from "commander";

import { version } from "../version.ts";
import { addHelp } from "./help/add-help.ts";
import { registerHelp } from "./help/help.ts";
import { helpLayout } from "./help/layout.ts";
import { showVerbs, type ShownVerb } from "./help/overview.ts";
import { mergedOptions, withCommonOptions, type CommonOptions } from "./output/common-options.ts";
import type { Context } from "./output/context.ts";
import { verbGroups } from "./verbs.ts";

/** Whether a command does something itself, and does not only group its verbs. */
export function isCalled({ commands, registeredArguments, options }: Command): boolean {
  return commands.length === 0 || registeredArguments.length > 0 || options.length > 0;
}

/** Every command below one, in the order of the help. */
export function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...commandsBelow(each)]);
}

/**
 * The program with only the called verb, which saves a third of a command's time; with all verbs for suggestions, and
 * if none is named. With `overview` it loads no verb's code: this is for its own help.
 */
export async function createProgram(
  context: Context,
  how: {
    readonly verb?: string | undefined;
    readonly overview?: readonly ShownVerb[] | undefined;
    readonly obey?: (options: CommonOptions) => void;
  } = {},
): Promise<Command> {
  const { verb = "", overview, obey } = how;
  const program = new Command("sluice")
    .description("Moves customer data into the Customer Data Service, with nothing lost.")
    .version(version)
    .exitOverride()
    // Errors are shown like the program's own: see usage-error.ts.
    .configureOutput({ outputError: () => undefined })
    .helpCommand(false)
    // Positional options are for `webhooks send`, whose options `webhooks` would take as its own.
    .configureHelp(helpLayout)
    .enablePositionalOptions()
    .showSuggestionAfterError();
  if (overview === undefined) await addVerbs(program, verb, context);
  else showVerbs(program, overview);
  registerHelp(program, context);
  for (const command of [program, ...commandsBelow(program).filter(isCalled)]) {
    withCommonOptions(command);
  }
  addHelp(program);
  program.hook("preAction", (_program, called) =>
    obey?.(mergedOptions(program.opts(), called.opts())),
  );
  return program;
}

/** Adds a verb; adds all of them if the name is not a verb's. */
async function addVerbs(program: Command, verb: string, context: Context): Promise<void> {
  const isKnown =
    ["--version", "-V"].includes(verb) ||
    Object.values(verbGroups).some((verbs) => Object.hasOwn(verbs, verb));
  for (const [heading, verbs] of Object.entries(verbGroups)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(verbs)) {
      if (!isKnown || name === verb) (await load())(program, context);
    }
  }
}
