import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { z } from "zod";

import { endProcess } from "../../../src/local/process-identity.ts";
import { keepEvidence } from "../canaries.ts";

const lookEveryMs = 20;

/** Waits until `look` finds something; a test that waits forever ends by its own timeout. */
export async function until<Found>(
  look: () => Promise<Found | undefined | null | false>,
): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    await delay(lookEveryMs);
  }
}

/** The output and exit code of a program. */
export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A running program: its output so far, and its end. */
export type Watched = {
  readonly printed: () => Omit<Ended, "code">;
  readonly ended: Promise<Ended>;
};

/** The commands that exist to show rows. */
const showsRows = / (?:preview|rejects) /;
const cells = ["cell"] as const;

/** Collects what a program prints on its pipes; fails if it holds a secret. */
export function watch(child: ChildProcess): Watched {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = new Promise<Ended>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  const ended = closed.then(async (how) => {
    const what = child.spawnargs.join(" ");
    const mayHold = showsRows.test(what) ? cells : [];
    await keepEvidence({ what: "a process title", text: what });
    await keepEvidence({ what, text: `${stdout}${stderr}`, mayHold });
    return how;
  });
  return { printed: () => ({ stdout, stderr }), ended };
}

/** Ends a program with `signal`, unless it has ended, and returns once it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}

/** What the state folder holds about a server that commands share. */
export const serviceRecord = z.object({
  server: z.object({ pid: z.int(), started: z.string() }),
});

/** Ends the servers that commands in a project folder started and could not end themselves. */
export async function endSharedServers(folder: string): Promise<void> {
  for (const name of ["temporal", "sandbox"]) {
    const text = await readFile(join(folder, `.sluice/${name}.json`), "utf8").catch(
      () => undefined,
    );
    if (text !== undefined) await endProcess(serviceRecord.parse(JSON.parse(text)).server);
  }
}
