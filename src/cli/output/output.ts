import { CommanderError } from "commander";

import { messageOf, SluiceError } from "../../errors.ts";
import { plainText } from "../../text/plain-text.ts";
import type { Output } from "./context.ts";
import { exitCodes } from "./exit-code.ts";

/** Where the words of this process go. */
export const output: Output = {
  print: (text) => void process.stdout.write(`${text}\n`),
  say: (text) => void process.stderr.write(`sluice: ${text}\n`),
  exit: (code) => {
    process.exitCode = code;
  },
};

/** Tells what a command failed with. */
export function showError(error: unknown, { isJson }: { readonly isJson: boolean }): void {
  const hint = error instanceof SluiceError ? error.hint : undefined;
  if (isJson) {
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

/** A broken pipe is how `| head` says that it has seen enough. */
export function endWithPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(exitCodes.done);
  });
}
