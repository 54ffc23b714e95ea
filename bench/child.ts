import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";

/** How a program ended; `seconds` from its start to its exit. */
export type Ended = {
  readonly code: number;
  readonly seconds: number;
  /** User and system time of all its threads and programs; 0 without /proc. Right only while nothing else runs. */
  readonly cpuSeconds: number;
  /** Its last line on stdout. */
  readonly lastLine: string;
};

/** Which program to run, Node by default, and variables to add to its environment. */
export type HowToRun = {
  readonly program?: string;
  readonly variables?: Readonly<Record<string, string>>;
};

/** The unit of times in /proc, the same on every Linux (USER_HZ). */
const ticksPerSecond = 100;

/** The environment without variables of ours that are set here: they would lead a measured program elsewhere. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:SLUICE_|TEMPORAL_|PG|NODE_OPTIONS$)/.test(name) || name === "SLUICE_TEMPORAL_CACHE",
  ),
);

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => interrupted.abort(new Error(`stopped by ${name}`)));
}

/** Starts a program, a Node program unless another is named; the first signal to this process is forwarded to it. */
export function start(
  args: readonly string[],
  cwd: string,
  { program = process.execPath, variables = {} }: HowToRun = {},
): ChildProcess {
  interrupted.signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = (): void => void child.kill("SIGTERM");
  interrupted.signal.addEventListener("abort", stop, { once: true });
  child.once("exit", () => interrupted.signal.removeEventListener("abort", stop));
  return child;
}

/** Runs a program to its end, as `start` does. */
export async function run(
  args: readonly string[],
  cwd: string,
  how: HowToRun & { readonly watch?: (child: ChildProcess) => void } = {},
): Promise<Ended> {
  const cpuSecondsBefore = await childrenCpuSeconds();
  const startedMs = performance.now();
  const child = start(args, cwd, how);
  const exit = once(child, "exit");
  how.watch?.(child);
  const lastLine = await lastLineOf(child);
  await exit;
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpuSeconds = (await childrenCpuSeconds()) - cpuSecondsBefore;
  interrupted.signal.throwIfAborted();
  return { code: child.exitCode ?? -1, seconds, cpuSeconds, lastLine };
}

/** The kernel's count for children that have ended; Node knows only its own process. */
async function childrenCpuSeconds(): Promise<number> {
  return await ticksOf("self", [16, 17]);
}

/** User and system time of a running process, all its threads; 0 without /proc. */
export async function cpuSecondsOf({ pid }: ChildProcess): Promise<number> {
  return await ticksOf(`${pid}`, [14, 15]);
}

/** The sum of two time fields of /proc/<pid>/stat, numbered as in proc(5), in seconds. */
async function ticksOf(pid: string, numbers: readonly [number, number]): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The program's name, which may contain spaces, ends with the last parenthesis; the state comes next, as field 3.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = numbers.map((number) => Number(fields[number - 3] ?? 0));
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
}

/** The last line that a program prints; empty if it prints none. */
async function lastLineOf(child: ChildProcess): Promise<string> {
  let lastLine = "";
  for await (const line of linesOf(child)) lastLine = line;
  return lastLine;
}

/** The lines a program prints. */
export function linesOf({ stdout }: { readonly stdout: Readable | null }): AsyncIterable<string> {
  if (stdout === null) throw new Error("a program without stdout");
  return createInterface({ input: stdout });
}

/** The lines a program prints, each of which must be JSON. */
export async function* jsonLinesOf(child: ChildProcess): AsyncGenerator<unknown, undefined> {
  for await (const line of linesOf(child)) yield JSON.parse(line);
}

/** The first line a program prints, which must be JSON. @throws if it ends before. */
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

/** The memory that a running process holds now, in bytes; undefined without /proc. */
export async function rssBytesOf({ pid }: ChildProcess): Promise<number | undefined> {
  return await statusBytes(pid, "VmRSS");
}

/** The most memory that a running process ever held, in bytes; undefined without /proc. */
export async function peakRssBytes({ pid }: ChildProcess): Promise<number | undefined> {
  return await statusBytes(pid, "VmHWM");
}

async function statusBytes(
  pid: number | undefined,
  field: "VmHWM" | "VmRSS",
): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kiB = new RegExp(String.raw`^${field}:\s+(\d+) kB$`, "m").exec(status)?.[1];
  return kiB === undefined ? undefined : Number(kiB) * 1_024;
}
