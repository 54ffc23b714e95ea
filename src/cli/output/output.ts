import { messageOf, SluiceError, thrownFirst } from "../../errors.ts";
import { plainText } from "../../text/plain-text.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Output } from "./context.ts";
import { exitCodes } from "./exit-code.ts";
import { setColor } from "./style.ts";

let common: CommonOptions = {};

/** Whether something that was printed could not be written. */
let areWordsLost = false;

function tell(text: string): void {
  process.stderr.write(`sluice: ${text}\n`);
}

/** Where the words of this process go. */
export const output: Required<Output> = {
  print: (text) => void process.stdout.write(`${text}\n`),
  say: (text) => {
    if (common.quiet !== true) tell(text);
  },
  detail: (text) => {
    if (common.verbose === true) tell(text);
  },
  isQuiet: () => common.quiet === true,
  exit: (code) => {
    process.exitCode = code;
  },
};

/** Tells from now on as much, and in such colours, as a command's options ask for. */
export function tellAs(options: CommonOptions): void {
  common = options;
  const { color = "auto" } = options;
  setColor(color === false ? "never" : color);
}

/** What is told of an error: of one that is not ours its message alone. */
export type ShownError = {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
};

function factsOf(thrown: unknown): ShownError {
  const error = thrownFirst(thrown);
  const { code, hint } =
    error instanceof SluiceError ? error : { code: "Unexpected", hint: undefined };
  return { code, message: messageOf(error), hint };
}

/** Tells what a command failed with. */
export function showError(error: unknown, how: { readonly isJson: boolean }): void {
  showFacts(factsOf(error), how);
}

/** The same of facts. */
export function showFacts(facts: ShownError, { isJson }: { readonly isJson: boolean }): void {
  if (isJson) {
    output.print(JSON.stringify({ error: facts }));
    return;
  }
  const { message, hint } = facts;
  // Lines of a configuration error are laid out on purpose; everything else in them is harmless text.
  const text = message.split("\n").map(plainText).join("\n");
  tell(`${text}${hint === undefined ? "" : `\n  → ${plainText(hint)}`}`);
}

/**
 * A broken pipe is how `| head` says that it has seen enough. Nobody who stops to listen to how a transfer gets on, by
 * `2>&1 | head` or on a full disk, wants it to break off; but its exit code says that words were lost.
 */
export function endWithPipe(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(exitCodes.done);
    if (areWordsLost) return;
    areWordsLost = true;
    tell(
      `the output of this command could not be written: ${message}\n` +
        "  → Free space where its output goes, or print elsewhere. Only its output is lost: the command continued.",
    );
    process.once("exit", () => {
      process.exitCode ||= exitCodes.failed;
    });
  });
}
