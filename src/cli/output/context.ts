import type { Command } from "commander";

import type { Config } from "../../config/config.ts";
import type { Environment } from "../../config/environment.ts";
import { openStateStore, type StateAddress } from "../../state/open.ts";
import type { StateStore } from "../../state/state-store.ts";

/** Where the text of a command and its exit code go. */
export type Output = {
  /** Prints results, which another program may read. */
  readonly print: (text: string) => void;
  /** Prints progress and warnings, for a person. */
  readonly say: (text: string) => void;
  /** Prints paths and ports of what a command starts, with `--verbose`. @default they are not shown */
  readonly detail?: (text: string) => void;
  /** Whether only the result and errors are wanted. @default no */
  readonly isQuiet?: () => boolean;
  /** Ends the command with this code when it returns. */
  readonly exit: (code: number) => void;
};

/** What a command works with besides its own arguments. */
export type Context = Output & { readonly environment: Environment; readonly cwd: string };

/** Whether there is somebody at a terminal who can be asked. */
export function isAtTerminal({ environment }: Context): boolean {
  // Not compared with false: a stream that is not a terminal has no such member.
  return [process.stdin.isTTY, process.stderr.isTTY, !environment.isCi].every(Boolean);
}

/** The options every command takes. */
export type GlobalOptions = { readonly config?: string; readonly json?: boolean };

/** A verb of the command line: adds itself to the program. */
export type Register = (program: Command, context: Context) => void;

/** The form of what a command prints with `--json`. */
type JsonForm = "lines" | "object";

/** Adds `--json` to a command that reads no configuration. */
export function withJson(command: Command, form: JsonForm = "object"): Command {
  const what = form === "lines" ? "one object a line" : "one object";
  return command.option("--json", `print JSON: ${what}`);
}

/** Adds `--config` and `--json` to a command. */
export function withGlobals(command: Command, form?: JsonForm): Command {
  return withJson(
    command.option(
      "-c, --config <file>",
      "the configuration file (default: sluice.yaml here or above)",
    ),
    form,
  );
}

/** Loads the configuration that a command's options name, and the code for reading it. */
export async function configOf(context: Context, options: GlobalOptions): Promise<Config> {
  const { loadConfig } = await import("../../config/load.ts");
  const { sourceNamed, sources } = await import("../../../connectors/registry.ts");
  return await loadConfig({
    path: options.config,
    cwd: context.cwd,
    env: context.environment.variables,
    connectors: sources,
    loadConnector: sourceNamed,
  });
}

/** Runs `work` on the configured state store and closes it. */
export async function withState<Result>(
  config: StateAddress,
  work: (state: StateStore) => Promise<Result>,
  how: { readonly onlyReads?: boolean } = {},
): Promise<Result> {
  const state = await openStateStore(config, how);
  try {
    return await work(state);
  } finally {
    await state.close();
  }
}

/** As `withState`, for work that changes nothing: this also works where the state folder cannot be written. */
export async function readState<Result>(
  config: StateAddress,
  work: (state: StateStore) => Promise<Result>,
): Promise<Result> {
  return await withState(config, work, { onlyReads: true });
}

/** The time by the clock of the configured store: for SQLite this machine's, and the store stays closed. */
export async function storeNow(config: StateAddress): Promise<Date> {
  if (config.store === undefined) return new Date();
  return new Date(await readState(config, async (state) => await Promise.resolve(state.now())));
}
