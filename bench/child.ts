import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";

/** How a program ended; `seconds` from its start to its exit. */
export type Ended = {
  readonly code: number;
  readonly seconds: number;
  /** Its last line on stdout. */
  readonly lastLine: string;
};

/** Everything of ours that this machine's user may have set would lead a measured program elsewhere. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:SLUICE_|TEMPORAL_|NODE_OPTIONS$)/.test(name) || name === "SLUICE_TEMPORAL_CACHE",
  ),
);

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => interrupted.abort(new Error(`stopped by ${name}`)));
}

/** Starts a Node program; the first signal to this process is handed on to it. */
export function start(args: readonly string[], cwd: string): ChildProcess {
  interrupted.signal.throwIfAborted();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const stop = (): void => void child.kill("SIGTERM");
  interrupted.signal.addEventListener("abort", stop, { once: true });
  child.once("exit", () => interrupted.signal.removeEventListener("abort", stop));
  return child;
}

/** Runs a Node program to its end. */
export async function run(
  args: readonly string[],
  cwd: string,
  watch: (child: ChildProcess) => void = () => undefined,
): Promise<Ended> {
  const startedMs = performance.now();
  const child = start(args, cwd);
  const exit = once(child, "exit");
  watch(child);
  let lastLine = "";
  for await (const line of linesOf(child)) lastLine = line;
  await exit;
  const seconds = (performance.now() - startedMs) / 1_000;
  interrupted.signal.throwIfAborted();
  return { code: child.exitCode ?? -1, seconds, lastLine };
}

/** The lines a program prints. */
export function linesOf({ stdout }: { readonly stdout: Readable | null }): AsyncIterable<string> {
  if (stdout === null) throw new Error("a program without stdout");
  return createInterface({ input: stdout });
}

/** The first line a program prints, which must be JSON. @throws when it ends before. */
export async function firstJson(child: ChildProcess): Promise<unknown> {
  for await (const line of linesOf(child)) return JSON.parse(line);
  throw new Error(`${child.spawnargs.join(" ")} ended before it was ready`);
}

/** Asks a program to end, and waits until it has. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

/** The most memory a running process ever held, in bytes; undefined where /proc does not say. */
export async function peakRssBytes({ pid }: ChildProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kiB = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kiB === undefined ? undefined : Number(kiB) * 1_024;
}
