import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

const lookEveryMs = 20;

/** Waits until `look` finds something; a test that waits for ever ends by its own timeout. */
export async function until<Found>(look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await delay(lookEveryMs);
  }
}

/** What a program printed and how it ended. */
export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A program under way: what it has printed so far, and its end. */
export type Watched = {
  readonly printed: () => Omit<Ended, "code">;
  readonly ended: Promise<Ended>;
};

/** Collects what a program prints on its pipes. */
export function watch(child: ChildProcess): Watched {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { printed: () => ({ stdout, stderr }), ended };
}

/** Ends a program by `signal`, unless it has ended, and returns once it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}
