// Runs one program after another for tools/run.mjs and tools/demo.mjs, and forwards signals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

const handedOn = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program to its end; `output` is its stdout if `capture` is set. Forwards signals to it and waits for its end,
 * so that the program can clean up. A terminal sends Ctrl-C to both, so then it only waits.
 */
export async function run(command, args, { capture = false, ...options } = {}) {
  const child = spawn(command, args, {
    ...options,
    stdio: ["inherit", capture ? "pipe" : "inherit", "inherit"],
  });
  const handOn = (signal) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const name of handedOn) process.on(name, handOn);
  try {
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (output += text));
    const [code, signal] = await once(child, "close");
    return { code: code ?? 128 + constants.signals[signal], output };
  } finally {
    for (const name of handedOn) process.off(name, handOn);
  }
}

/** The same, but anything other than success is an error. */
export async function mustRun(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Stop(`${[command, ...args].join(" ")} ended with ${code}`, code);
  return output;
}

/** Ends a tool with one line on stderr and an exit code. */
export class Stop extends Error {
  constructor(message, code = 1) {
    super(message);
    this.code = code;
  }
}

/** Writes a tool's progress to stderr. */
export function say(text) {
  process.stderr.write(`sluice: ${text}\n`);
}

/** Runs a tool's main function; a Stop ends it without a stack. */
export async function main(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    say(error.message);
    process.exitCode = error.code;
  }
}
