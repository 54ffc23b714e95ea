// Runs the examples: `sluice dev` for one configuration, started, waited for and stopped.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { run, say, Stop } from "./child.mjs";
import { root } from "./set-up.mjs";

const readyMsMax = 120_000;
const lookEveryMs = 100;
const logLinesShown = 20;

const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => controller.abort(name));

/** Aborted, with the signal as its reason, when somebody wants to stop. */
export const stopped = controller.signal;

/**
 * The user's environment without settings for the real service: a SLUICE_BASE_URL or key in the shell must not send
 * made-up companies there.
 */
export const safeEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !name.startsWith("SLUICE_") || name === "SLUICE_TEMPORAL_CACHE",
  ),
);

/** What a process was started with; undefined where this machine cannot say, as slim images have no `ps`. */
function argumentsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return spawnSync("ps", ["-o", "args=", "-p", pid], { encoding: "utf8" }).stdout ?? undefined;
  }
}

/** Whether the process of this number is a `sluice dev`, or may be one. */
export function isDev(pid) {
  const args = argumentsOf(pid);
  if (args !== undefined) return args.includes("sluice.js dev");
  try {
    return Number(pid) > 0 && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

/** An example of the repository, with its own Temporal, sandbox and worker. */
export class Example {
  #env;
  #dev;
  #files;

  /** The example in this folder of `examples/`; removes the files of earlier runs. */
  constructor(name, env = safeEnvironment) {
    const folder = join("examples", name);
    this.config = ["--config", join(folder, "sluice.yaml")];
    this.stateFolder = join(root, folder, ".sluice");
    this.#env = env;
    const demo = join(this.stateFolder, "demo");
    this.#files = {
      folder: demo,
      pid: join(demo, "dev.pid"),
      ready: join(demo, "dev.json"),
      log: join(demo, "dev.log"),
    };
    this.#refuseWhenKept();
    rmSync(this.stateFolder, { recursive: true, force: true });
  }

  /** Starts everything; returns the addresses, or undefined if somebody wants to stop first. */
  async start() {
    say("starting Temporal, the sandbox and a worker (sluice dev)");
    const { folder, pid, ready, log } = this.#files;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // In a process group of its own, so that Ctrl-C reaches it only through `stop`, after the run that uses it.
    this.#dev = spawn(process.execPath, this.#command("dev", "--json"), {
      cwd: root,
      env: this.#env,
      detached: true,
      // Files, not pipes: a process that is kept running must not lose its output when we end.
      stdio: ["ignore", openSync(ready, "w"), openSync(log, "w")],
    });
    writeFileSync(pid, String(this.#dev.pid));
    this.#dev.unref();
    return await this.#untilReady();
  }

  /**
   * Runs a command of `sluice` against the example; returns its exit code, and its output if that is captured
   * instead of shown.
   */
  async sluice(addresses, args, options = {}) {
    if (!options.capture) say(`sluice ${args.join(" ")}`);
    return await run(process.execPath, this.#command(...args), {
      cwd: root,
      env: {
        ...this.#env,
        TEMPORAL_ADDRESS: addresses.temporal,
      },
      ...options,
    });
  }

  /** The number of the process to end if everything is left running. */
  get pid() {
    return this.#dev.pid;
  }

  /** `sluice dev` stops everything that it started before it ends itself. */
  async stop() {
    say("stopping everything");
    if (!this.#hasEnded()) this.#dev.kill("SIGTERM");
    while (!this.#hasEnded()) await delay(lookEveryMs);
    rmSync(this.#files.pid, { force: true });
  }

  #command(...args) {
    return [join("bin", "sluice.js"), ...args, ...this.config];
  }

  /** The addresses that `sluice dev` prints, as one line of JSON, once everything answers. */
  async #untilReady() {
    const giveUpAt = Date.now() + readyMsMax;
    while (!stopped.aborted) {
      const [line, rest] = readFileSync(this.#files.ready, "utf8").split("\n", 2);
      if (rest !== undefined) return JSON.parse(line);
      if (this.#hasEnded() || Date.now() > giveUpAt) {
        const log = readFileSync(this.#files.log, "utf8").trimEnd().split("\n");
        throw new Stop(["sluice dev did not come up:", ...log.slice(-logLinesShown)].join("\n"));
      }
      await delay(lookEveryMs);
    }
    return undefined;
  }

  /** Refuses to empty a folder in which an example that was kept still works. */
  #refuseWhenKept() {
    if (!existsSync(this.#files.pid)) return;
    const pid = readFileSync(this.#files.pid, "utf8");
    if (!isDev(pid)) return;
    throw new Stop(`the example kept from before still runs: stop it with  kill ${pid}`);
  }

  #hasEnded() {
    return this.#dev === undefined || this.#dev.exitCode !== null || this.#dev.signalCode !== null;
  }
}
