import { setFlagsFromString } from "node:v8";

import { Command, CommanderError } from "commander";

import { readEnvironment } from "../config/environment.ts";
import { version } from "../version.ts";
import type { Context, Register } from "./output/context.ts";
import { exitCodeOfError } from "./output/exit-code.ts";
import { endWithPipe, output, showError } from "./output/output.ts";
import { verbs } from "./verbs.ts";

const [, , verb] = process.argv;

// V8 enlarges a young generation by all that ever survived in it, and lets an old one grow far before it collects: with five
// isolates in a worker that was 150 MB of RSS (485,208 rows, 2 cores: 372 MB against 520) for a tenth of the time. It holds for
// the isolates that are made later, too. A receiver has its own (bin/sluice.js): its code would not be optimized for speed.
if (verb !== "webhooks") {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
}

/** The called verb alone, which saves a third of a command's time; all of them for the help and for suggestions. */
async function verbsFor(first: string | undefined): Promise<readonly Register[]> {
  const load = verbs.get(first);
  const loads = load === undefined ? [...verbs.values()] : [load];
  return await Promise.all(loads.map(async (each) => await each()));
}

function isJson(): boolean {
  return process.argv.includes("--json");
}

function createProgram(context: Context, registers: readonly Register[]): Command {
  const program = new Command("sluice")
    .description("Moves customer data into the Customer Data Service, with nothing lost.")
    .version(version)
    .exitOverride()
    // For `webhooks send`, whose options `webhooks` would take for its own.
    .enablePositionalOptions()
    .showSuggestionAfterError();
  for (const register of registers) register(program, context);
  return program;
}

/** As `isJson`: what is started is told before anything reads the options of a command. */
function detail(): Pick<Context, "detail"> {
  return process.argv.includes("--verbose") ? { detail: output.say } : {};
}

async function main(): Promise<void> {
  try {
    const environment = readEnvironment();
    const context = { ...output, ...detail(), environment, cwd: process.cwd() };
    await createProgram(context, await verbsFor(verb)).parseAsync();
  } catch (error) {
    // Commander has said its own already; help and version are no mistake.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    if (!(error instanceof CommanderError) || isJson()) showError(error, { isJson: isJson() });
    output.exit(exitCodeOfError(error));
  }
}

endWithPipe();
await main();
