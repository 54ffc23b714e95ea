import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const lookEveryMs = 20;
/** A machine shared by eight processes takes a minute or more to start one. */
const startMsMax = 180_000;

/** A program to start, which logs when it is ready. */
export type Program = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** The text in its log once it is ready. */
  readonly ready: string;
};

/** How a program ended. */
export type Exit = {
  readonly name: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The signal we sent to end it, if we did. */
  readonly sent: NodeJS.Signals | undefined;
  /** From our signal to its end; 0 when we sent none. */
  readonly afterMs: number;
};

/** A running program of our own. */
export class Running {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  #sent: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined;

  private constructor(program: Program) {
    const log = openSync(program.logFile, "a");
    const [command, ...args] = program.command;
    const { cwd, env } = program;
    this.#child = spawn(command, args, { cwd, env, stdio: ["ignore", log, log] });
    closeSync(log);
    if (this.#child.pid === undefined) throw new Error(`${program.name} cannot be started`);
    this.name = program.name;
    this.pid = this.#child.pid;
    this.logFile = program.logFile;
    this.exit = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => {
        const sent = this.#sent;
        const afterMs = sent === undefined ? 0 : performance.now() - sent.atMs;
        resolve({ name: this.name, code, signal, sent: sent?.signal, afterMs });
      });
    });
  }

  /** Starts a program and returns once it is ready. @throws it ends before that, or is not ready in time. */
  static async start(program: Program, started: (running: Running) => void): Promise<Running> {
    const running = new Running(program);
    started(running);
    const giveUpAt = performance.now() + startMsMax;
    for (;;) {
      if ((await running.log()).includes(program.ready)) return running;
      if (running.isGone || performance.now() > giveUpAt) {
        throw new Error(`${program.name} does not start: read ${program.logFile}`);
      }
      await delay(lookEveryMs);
    }
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async log(): Promise<string> {
    return await readFile(this.logFile, "utf8");
  }

  /** Stops or continues it. */
  send(signal: "SIGCONT" | "SIGSTOP"): void {
    this.#child.kill(signal);
  }

  /** Ends it with a signal, unless it has ended. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<Exit> {
    if (!this.isGone) {
      this.#sent = { signal, atMs: performance.now() };
      this.#child.kill(signal);
    }
    return await this.exit;
  }
}
