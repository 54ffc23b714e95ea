import { CommanderError } from "commander";

import { readEnvironment } from "../config/environment.ts";
import { readOverview } from "./help/overview.ts";
import { usageFacts } from "./help/usage-error.ts";
import { exitCodeOfError, exitCodes, worstOf } from "./output/exit-code.ts";
import { endWithPipe, output, showError, showFacts, tellAs } from "./output/output.ts";
import { createProgram } from "./program.ts";

const words = process.argv.slice(2);

/** The command. The options of every command may come before it. */
const verb = words.find((word) => !word.startsWith("-")) ?? words[0];

/** Whether only the program's own help is asked for. */
const asksForOverview = words.length <= 1 && ["--help", "-h", "help", undefined].includes(words[0]);

const isJson = process.argv.includes("--json");

async function main(): Promise<void> {
  const environment = readEnvironment();
  const context = { ...output, environment, cwd: process.cwd() };
  const program = await createProgram(context, {
    verb: verb === "help" ? words[words.indexOf("help") + 1] : verb,
    overview: asksForOverview ? readOverview() : undefined,
    obey: tellAs,
  });
  try {
    await program.parseAsync();
  } catch (error) {
    // Help and version are not mistakes.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    if (!(error instanceof CommanderError)) throw error;
    const facts = usageFacts(error, program, words);
    if (facts !== undefined) showFacts(facts, { isJson });
    output.exit(exitCodeOfError(error));
  }
}

endWithPipe();
await main().catch((error: unknown) => {
  showError(error, { isJson });
  // An earlier one of several syncs may have ended worse.
  output.exit(worstOf(Number(process.exitCode ?? exitCodes.done), exitCodeOfError(error)));
});
