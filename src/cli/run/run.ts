import { Option } from "commander";

import { ConfigError } from "../../errors.ts";
import { modes } from "../../state/contract/runs/runs.ts";
import { startStoreThread } from "../../state/sqlite/open.ts";
import { withGlobals } from "../output/context.ts";
import type { Register } from "../output/context.ts";
import { namesStore } from "../output/names-store.ts";
import { positive } from "../positive.ts";
import type { NamedOptions } from "./run-now.ts";

type Options = NamedOptions & { readonly dryRun?: boolean };

/** The error for somebody who looks for a run that does not send. */
function sends([name = "<sync>"]: readonly string[]): ConfigError {
  return new ConfigError("run sends: it has no --dry-run", {
    hint: `\`sluice plan ${name}\` says what it would send, why, and what that costs`,
  });
}

/** `sluice run [syncs...]`. */
export const registerRun: Register = (program, context) => {
  withGlobals(program.command("run [syncs...]"), "lines")
    .description("transfer syncs now, one after the other; without a name, the only one")
    .option("--all", "every sync of the configuration")
    .addOption(new Option("--mode <mode>", "how records are sent").choices(modes))
    .option("--full", "send every row, whatever was sent before")
    .option("-n, --limit <rows>", "read at most this many rows", positive)
    .addOption(new Option("--dry-run", "it is named `plan`").hideHelp())
    .option("--no-wait", "start it and print the workflow's id")
    .action(async (names: readonly string[], options: Options) => {
      if (options.dryRun === true) throw sends(names);
      // On the other core, before this thread loads what a run needs.
      if (!(await namesStore(context, options.config))) startStoreThread();
      const { runNow } = await import("./run-now.ts");
      await runNow(context, names, options);
    });
};
