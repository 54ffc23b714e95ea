import { messageOf, SluiceError, thrownFirst } from "../../errors.ts";
import { plainText } from "../../text/plain-text.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Output } from "./context.ts";
import { exitCodes } from "./exit-code.ts";
import { setColor } from "./style.ts";

let common: CommonOptions = {};

/** Whether this command does its work to the end though nobody reads what it prints any more. */
let outlivesReader = false;

/** Whether some of the output could not be written. */
let areWordsLost = false;

function tell(text: string): void {
  process.stderr.write(`sluice: ${text}\n`);
}

/** The output of this process. */
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

/** From now on prints as much, and in such colours, as a command's options ask for. */
export function tellAs(options: CommonOptions): void {
  common = options;
  const { color = "auto" } = options;
  setColor(color === false ? "never" : color);
}

/** The parts of an error that may be shown: for an error that is not ours, only its message. */
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

/** Shows the error that a command failed with. */
export function showError(error: unknown, how: { readonly isJson: boolean }): void {
  showFacts(factsOf(error), how);
}

/** The same for the parts of an error. */
export function showFacts(facts: ShownError, { isJson }: { readonly isJson: boolean }): void {
  if (isJson) {
    output.print(JSON.stringify({ error: facts }));
    return;
  }
  const { message, hint } = facts;
  // The line breaks of a configuration error are intended; everything else in its lines is harmless text.
  const text = message.split("\n").map(plainText).join("\n");
  tell(`${text}${hint === undefined ? "" : `\n  → ${plainText(hint)}`}`);
}

/** From now on the command does its work to the end, though nobody reads what it prints: it changes something. */
export function outliveReader(): void {
  outlivesReader = true;
}

/**
 * A broken pipe is how `| head` says that it has seen enough of a list. Whoever stops reading the progress of a
 * transfer, by `2>&1 | head` or because of a full disk, does not want the transfer to break off; but its exit code says
 * that output was lost.
 */
export function endWithPipe(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" && outlivesReader) return;
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
