import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { messageOf } from "../../../src/errors.ts";
import { bin } from "../../support/project/project.ts";
import type { Tell } from "../journal.ts";
import { clockHoursOf, type Plan } from "../plan.ts";
import { clockAhead } from "./clock.ts";
import type { FaultOrder } from "./http-faults.ts";
import { type Exit, Running } from "./program.ts";

/** The settings that a sandbox starts with. */
export type Script = {
  readonly faults: readonly FaultOrder[];
  readonly credits?: { readonly calls: number } | undefined;
  readonly requests_per_minute?: number | undefined;
};

/** Where the processes of a seed run. */
export type FleetPlace = {
  /** Takes logs, fault scripts and the sandbox's data. */
  readonly folder: string;
  /** Their common working directory. */
  readonly project: string;
  readonly sandboxPort: number;
  readonly temporalAddress: string;
};

/** The workers and the sandbox of one seed. A worker that ends is replaced; the caller closes the fleet. */
export class Fleet {
  readonly #exits: Exit[] = [];
  readonly #excused = new Set<Exit>();
  /** Why workers could not be replaced. */
  readonly troubles: string[] = [];
  /** Logs of every process, in the order of their starts. */
  readonly logFiles: string[] = [];
  readonly #place: FleetPlace;
  readonly #plan: Plan;
  readonly #tell: Tell;
  readonly #all = new Set<Running>();
  readonly #workers = new Map<number, Running>();
  readonly #keepers: Promise<void>[] = [];
  readonly #starting: Promise<void>[] = [];
  #sandbox: Running | undefined;
  #isClosing = false;

  constructor(place: FleetPlace, plan: Plan, tell: Tell) {
    this.#place = place;
    this.#plan = plan;
    this.#tell = tell;
  }

  get sandboxAddress(): string {
    return `http://127.0.0.1:${this.#place.sandboxPort}`;
  }

  /** The file that the sandbox writes its ledger to. */
  get ledgerFile(): string {
    return join(this.#place.folder, "sandbox", "ledger.jsonl");
  }

  /** How processes ended, except those that could not start and said why. */
  get exits(): readonly Exit[] {
    return this.#exits.filter((exit) => !this.#excused.has(exit));
  }

  /** The current workers, including a stopped one. */
  get workers(): Running[] {
    return [...this.#workers.values()].filter(({ isGone }) => !isGone);
  }

  /** Processes that have not ended. */
  get left(): Running[] {
    return [...this.#all].filter(({ isGone }) => !isGone);
  }

  async startSandbox(script: Script): Promise<void> {
    const { folder, sandboxPort } = this.#place;
    const { seed, confirms } = this.#plan;
    const file = join(folder, `faults-${this.logFiles.length}.yaml`);
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify({ seed, confirms, ...script }, undefined, 2));
    const data = join(folder, "sandbox");
    this.#sandbox = await this.#start("sandbox", {
      args: ["sandbox", "--json", "--port", `${sandboxPort}`, "--data", data, "--faults", file],
      ready: '"ready":true',
    });
  }

  async endSandbox(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await this.#sandbox?.end(signal);
  }

  /** Starts the worker of this number, from 0; it is replaced when it ends. */
  async startWorker(number: number): Promise<void> {
    const running = await this.#start(`worker-${number}`, {
      args: ["worker"],
      ready: "worker started",
      env: clockAhead(clockHoursOf(this.#plan, number)),
    });
    this.#workers.set(number, running);
    this.#keepers.push(this.#keep(number, running));
  }

  /**
   * Starts one more worker. False if a worker that was stopped in a transaction holds the store's lock, so that the new
   * one said so and ended, as it should.
   */
  async startAnotherWorker(): Promise<boolean> {
    const name = `worker-${this.#workers.size}`;
    try {
      await this.startWorker(this.#workers.size);
      return true;
    } catch (error) {
      const running = [...this.#all].findLast((each) => each.name === name && each.isGone);
      if (running === undefined || !(await running.log()).includes("database is locked"))
        throw error;
      this.#excused.add(await running.exit);
      return false;
    }
  }

  /** Waits until the workers that ended have been replaced. */
  async whole(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Replaces a worker once it has ended. */
  async #keep(number: number, running: Running): Promise<void> {
    await running.exit;
    if (this.#isClosing) return;
    const start = this.startWorker(number).catch((error: unknown) => {
      this.troubles.push(messageOf(error));
    });
    this.#starting.push(start);
  }

  /** Runs the program to its end. */
  async sluice(...args: string[]): Promise<{ readonly exit: Exit; readonly stdout: string }> {
    const running = await this.#start(args.slice(0, 2).join("-"), { args, ready: "" });
    const exit = await running.exit;
    return { exit, stdout: await running.log() };
  }

  /** Ends everything: by SIGTERM, and what does not end in time by SIGKILL. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.whole();
    const ends = this.left.map(async (running) => {
      running.send("SIGCONT");
      const timer = setTimeout(() => void running.end("SIGKILL"), closeMsMax);
      await running.end("SIGTERM");
      clearTimeout(timer);
    });
    await Promise.all([...ends, ...this.#keepers]);
  }

  async #start(
    name: string,
    { args, ready, env = {} }: { args: string[]; ready: string; env?: NodeJS.ProcessEnv },
  ): Promise<Running> {
    const { folder, project, temporalAddress } = this.#place;
    const logFile = join(folder, `${name}.${this.logFiles.length}.log`);
    this.logFiles.push(logFile);
    const running = await Running.start(
      {
        name,
        command: [process.execPath, bin, ...args],
        cwd: project,
        env: {
          PATH: process.env["PATH"],
          HOME: process.env["HOME"],
          TEMPORAL_ADDRESS: temporalAddress,
          ...env,
        },
        logFile,
        ready,
      },
      (started) => this.#watch(started),
    );
    return running;
  }

  #watch(running: Running): void {
    const { name, pid } = running;
    this.#all.add(running);
    this.#tell("started", { name, pid });
    this.#keepers.push(this.#record(running));
  }

  async #record(running: Running): Promise<void> {
    const exit = await running.exit;
    this.#exits.push(exit);
    this.#tell("ended", exit);
  }
}

/** Longer than a worker's grace. */
const closeMsMax = 45_000;
