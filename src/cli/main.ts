import { setFlagsFromString } from "node:v8";

import { Command, CommanderError } from "commander";

import { readEnvironment } from "../config/environment.ts";
import { version } from "../version.ts";
import type { Context, Register } from "./output/context.ts";
import { exitCodeOfError } from "./output/exit-code.ts";
import { endWithPipe, output, showError } from "./output/output.ts";

const [, , verb] = process.argv;

// V8 enlarges a young generation by all that ever survived in it, and lets an old one grow far before it collects: with five
// isolates in a worker that was 150 MB of RSS (485,208 rows, 2 cores: 372 MB against 520) for a tenth of the time. It holds for
// the isolates that are made later, too. A receiver has its own (bin/sluice.js): its code would not be optimized for speed.
if (verb !== "webhooks") {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
}

/** What every other command needs takes a second to load, and 12 MB: of these one is started again and again, the other stays. */
const loadedAlone: ReadonlyMap<string | undefined, () => Promise<Register>> = new Map([
  ["connector", async () => (await import("./connector/connector.ts")).registerConnector],
  ["webhooks", async () => (await import("./serve/webhooks.ts")).registerWebhooks],
]);

async function verbsFor(first: string | undefined): Promise<readonly Register[]> {
  const load = loadedAlone.get(first);
  return load === undefined ? (await import("./verbs.ts")).verbs : [await load()];
}

function isJson(): boolean {
  return process.argv.includes("--json");
}

function createProgram(context: Context, verbs: readonly Register[]): Command {
  const program = new Command("sluice")
    .description("Moves customer data into the Customer Data Service, with nothing lost.")
    .version(version)
    .exitOverride()
    // For `webhooks send`, whose options `webhooks` would take for its own.
    .enablePositionalOptions()
    .showSuggestionAfterError();
  for (const register of verbs) register(program, context);
  return program;
}

/** As `isJson`: what is started is told before anything reads the options of a command. */
function detail(): Pick<Context, "detail"> {
  return process.argv.includes("--verbose") ? { detail: output.say } : {};
}

async function main(): Promise<void> {
  try {
    const environment = readEnvironment();
    const verbs = await verbsFor(verb);
    await createProgram(
      { ...output, ...detail(), environment, cwd: process.cwd() },
      verbs,
    ).parseAsync();
  } catch (error) {
    // Commander has said its own already; help and version are no mistake.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    if (!(error instanceof CommanderError) || isJson()) showError(error, { isJson: isJson() });
    output.exit(exitCodeOfError(error));
  }
}

endWithPipe();
await main();
