import { Command, CommanderError } from "commander";

import { registerBudget } from "./commands/budget.ts";
import { registerCancel } from "./commands/cancel.ts";
import { registerCheck } from "./commands/check.ts";
import { exitCodes, plainText, type Context } from "./commands/context.ts";
import { registerDev } from "./commands/dev.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { registerPreview } from "./commands/preview.ts";
import { registerRejects } from "./commands/rejects.ts";
import { registerRun } from "./commands/run.ts";
import { registerRuns } from "./commands/runs.ts";
import { registerSandbox } from "./commands/sandbox.ts";
import { registerSchema } from "./commands/schema.ts";
import { registerState } from "./commands/state.ts";
import { registerTemporal } from "./commands/temporal.ts";
import { registerValidate } from "./commands/validate.ts";
import { registerWorker } from "./commands/worker.ts";
import { readEnvironment } from "./config/environment.ts";
import { messageOf, SluiceError } from "./errors.ts";

const verbs = [
  registerValidate,
  registerCheck,
  registerPreview,
  registerRun,
  registerCancel,
  registerRuns,
  registerRejects,
  registerState,
  registerBudget,
  registerWorker,
  registerSandbox,
  registerDev,
  registerSchema,
  registerDoctor,
  registerTemporal,
];

/** The exit code that an error leads to: what is wrong decides who has to act. */
function exitCodeOf(error: unknown): number {
  if (!(error instanceof SluiceError)) return exitCodes.failed;
  if (["ConfigError", "AuthFailed"].includes(error.code)) return exitCodes.usage;
  if (["TemporalUnreachable", "Unavailable", "OutcomeUnknown"].includes(error.code)) {
    return exitCodes.unreachable;
  }
  return exitCodes.failed;
}

function showError(error: unknown, context: Context): void {
  const hint = error instanceof SluiceError ? error.hint : undefined;
  if (process.argv.includes("--json")) {
    const code = error instanceof SluiceError ? error.code : "Unexpected";
    context.print(JSON.stringify({ error: { code, message: messageOf(error), hint } }));
    return;
  }
  // Lines of a configuration error are laid out on purpose; everything else in them is harmless text.
  const text = messageOf(error).split("\n").map(plainText).join("\n");
  context.say(`${text}${hint === undefined ? "" : `\n  → ${plainText(hint)}`}`);
}

async function main(): Promise<void> {
  const context: Context = {
    environment: readEnvironment(),
    cwd: process.cwd(),
    print: (text) => void process.stdout.write(`${text}\n`),
    say: (text) => void process.stderr.write(`sluice: ${text}\n`),
    exit: (code) => {
      process.exitCode = code;
    },
  };
  const program = new Command("sluice")
    .description("Moves customer data into the Customer Data Service, with nothing lost.")
    .exitOverride()
    .showSuggestionAfterError();
  for (const register of verbs) register(program, context);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said it already; help and version are no mistake.
      context.exit(error.exitCode === 0 ? exitCodes.done : exitCodes.usage);
      return;
    }
    showError(error, context);
    context.exit(exitCodeOf(error));
  }
}

// A broken pipe is how `| head` says that it has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.done);
});
await main();
