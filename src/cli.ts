import { setFlagsFromString } from "node:v8";

import { Command, CommanderError } from "commander";

import { registerBackfill } from "./commands/backfill.ts";
import { registerBudget } from "./commands/budget.ts";
import { registerCancel } from "./commands/cancel.ts";
import { registerCheck } from "./commands/check.ts";
import type { Context, Output } from "./commands/context.ts";
import { registerDev } from "./commands/dev.ts";
import { registerDiscover } from "./commands/discover.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { exitCodeOfError, exitCodes } from "./commands/exit-code.ts";
import { registerInit } from "./commands/init.ts";
import { registerPause, registerResume } from "./commands/pause.ts";
import { registerPreview } from "./commands/preview.ts";
import { registerPull } from "./commands/pull.ts";
import { registerRejects } from "./commands/rejects.ts";
import { registerRun } from "./commands/run.ts";
import { registerRuns } from "./commands/runs.ts";
import { registerSandbox } from "./commands/sandbox.ts";
import { registerSchedule } from "./commands/schedule.ts";
import { registerSchema } from "./commands/schema.ts";
import { registerState } from "./commands/state.ts";
import { registerStatus } from "./commands/status.ts";
import { registerTemporal } from "./commands/temporal.ts";
import { registerValidate } from "./commands/validate.ts";
import { registerWebhooks } from "./commands/webhooks.ts";
import { registerWorker } from "./commands/worker.ts";
import { readEnvironment } from "./config/environment.ts";
import { messageOf, SluiceError } from "./errors.ts";
import { plainText } from "./plain-text.ts";
import { version } from "./version.ts";

// V8 enlarges a young generation by all that ever survived in it, and lets an old one grow far before it collects: with five
// isolates in a worker that was 150 MB of RSS (485,208 rows, 2 cores: 372 MB against 520) for a tenth of the time. It holds for
// the isolates that are made later, too.
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--optimize-for-size");

const verbs = [
  registerInit,
  registerValidate,
  registerCheck,
  registerDiscover,
  registerPreview,
  registerRun,
  registerBackfill,
  registerPull,
  registerCancel,
  registerPause,
  registerResume,
  registerStatus,
  registerRuns,
  registerRejects,
  registerState,
  registerSchedule,
  registerBudget,
  registerWorker,
  registerWebhooks,
  registerSandbox,
  registerDev,
  registerSchema,
  registerDoctor,
  registerTemporal,
];

function isJson(): boolean {
  return process.argv.includes("--json");
}

function showError(error: unknown): void {
  const hint = error instanceof SluiceError ? error.hint : undefined;
  if (isJson()) {
    const code = error instanceof SluiceError ? error.code : "Unexpected";
    const facts = {
      code: error instanceof CommanderError ? "Usage" : code,
      message: messageOf(error),
      hint,
    };
    output.print(JSON.stringify({ error: facts }));
    return;
  }
  // Lines of a configuration error are laid out on purpose; everything else in them is harmless text.
  const text = messageOf(error).split("\n").map(plainText).join("\n");
  output.say(`${text}${hint === undefined ? "" : `\n  → ${plainText(hint)}`}`);
}

function createProgram(context: Context): Command {
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

const output: Output = {
  print: (text) => void process.stdout.write(`${text}\n`),
  say: (text) => void process.stderr.write(`sluice: ${text}\n`),
  exit: (code) => {
    process.exitCode = code;
  },
};

async function main(): Promise<void> {
  try {
    const environment = readEnvironment();
    await createProgram({ ...output, environment, cwd: process.cwd() }).parseAsync();
  } catch (error) {
    // Commander has said its own already; help and version are no mistake.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    if (!(error instanceof CommanderError) || isJson()) showError(error);
    output.exit(exitCodeOfError(error));
  }
}

// A broken pipe is how `| head` says that it has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.done);
});
await main();
