import { createInterface } from "node:readline/promises";

/**
 * Asks a person at a terminal. Any answer but yes means no, and so does an end of the input. Ctrl-C, which a terminal
 * that asks does not turn into a signal, aborts `interrupted` as everywhere else; the result is then undefined.
 */
export async function isConfirmed(
  question: string,
  interrupted: AbortController,
): Promise<boolean | undefined> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const stop = (): void => asking.close();
  interrupted.signal.addEventListener("abort", stop, { once: true });
  try {
    const ended = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
    asking.once("SIGINT", () => interrupted.abort());
    const answer = await Promise.race([asking.question(question), ended]);
    if (!interrupted.signal.aborted) return /^y(?:es)?$/i.test(answer.trim());
    process.stderr.write("\n"); // the next text begins on a new line
    return undefined;
  } finally {
    interrupted.signal.removeEventListener("abort", stop);
    asking.close();
  }
}
