import { CommanderError } from "commander";

import { readEnvironment } from "../config/environment.ts";
import { readOverview } from "./help/overview.ts";
import { usageFacts } from "./help/usage-error.ts";
import { exitCodeOfError } from "./output/exit-code.ts";
import { endWithPipe, output, showError, showFacts, tellAs } from "./output/output.ts";
import { createProgram } from "./program.ts";

const [, , verb, ...rest] = process.argv;

/** Whether only the program's own help is asked for. */
const asksForOverview = rest.length === 0 && ["--help", "-h", "help", undefined].includes(verb);

const isJson = process.argv.includes("--json");

async function main(): Promise<void> {
  const environment = readEnvironment();
  const context = { ...output, environment, cwd: process.cwd() };
  const program = await createProgram(context, {
    verb: verb === "help" ? rest[0] : verb,
    overview: asksForOverview ? readOverview() : undefined,
    obey: tellAs,
  });
  try {
    await program.parseAsync();
  } catch (error) {
    // Help and version are no mistake.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    if (!(error instanceof CommanderError)) throw error;
    const facts = usageFacts(error, program, [verb ?? "", ...rest]);
    if (facts !== undefined) showFacts(facts, { isJson });
    output.exit(exitCodeOfError(error));
  }
}

endWithPipe();
await main().catch((error: unknown) => {
  showError(error, { isJson });
  output.exit(exitCodeOfError(error));
});
