import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A program to run to its end. */
export type Tool = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called every `tickMs` with the seconds since the start. */
  tick(seconds: number): void;
  readonly tickMs: number;
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined;
};

const reasonCharsMax = 500;

/**
 * Runs a program without a shell and returns its stdout.
 * @throws {Error} it cannot be started, or fails; the message is the last line of its stderr. @throws the
 * signal's reason
 */
export async function runTool(tool: Tool): Promise<string> {
  const startedAt = Date.now();
  const child = spawn(tool.command, [...tool.args], {
    env: tool.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): boolean => child.kill();
  tool.signal?.addEventListener("abort", stop);
  const timer = setInterval(
    () => tool.tick(Math.round((Date.now() - startedAt) / 1000)),
    tool.tickMs,
  );
  try {
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    await Promise.all([once(child, "exit"), output]);
    const [stdout, stderr] = await output;
    tool.signal?.throwIfAborted();
    if (child.exitCode === 0) return stdout;
    const lastLine = stderr.trim().split("\n").at(-1) ?? "";
    const ending = String(child.exitCode ?? child.signalCode);
    throw new Error(lastLine.slice(0, reasonCharsMax) || `ended with ${ending}`);
  } finally {
    clearInterval(timer);
    tool.signal?.removeEventListener("abort", stop);
  }
}
