import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished } from "vitest";

import { keepFolder } from "../canaries.ts";
import { accountsConfig, accountsCsv, bin } from "../project/project.ts";
import { end, endSharedServers, watch, type Ended } from "./process.ts";

/** A laptop with nothing configured: `base_url: sandbox`, no TEMPORAL_ADDRESS. */
export class Laptop {
  readonly folder: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(files: Readonly<Record<string, string>>): Promise<Laptop> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-cli-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const laptop = new Laptop(folder);
    onTestFinished(async () => {
      await laptop.#stop();
      await keepFolder(folder);
      await rm(folder, { recursive: true });
    });
    return laptop;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    return child;
  }

  /** Ends what a failed test left: its commands, and the servers that they could no longer stop. */
  async #stop(): Promise<void> {
    for (const child of this.#children) await end(child, "SIGKILL");
    await endSharedServers(this.folder);
  }

  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return await watch(this.start(args, env)).ended;
  }
}

/** Fails if a command printed a stack trace. */
export function expectNoStack({ stdout, stderr }: Ended): void {
  expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);
}

/** A `sluice.yaml` for `accounts.csv` that names no server. */
export const laptopConfig: string = accountsConfig()
  .replace("${SLUICE_BASE_URL}", "sandbox")
  .replace("${SLUICE_LEGACY_BASE_URL}", "sandbox");

/**
 * Files of a run that lasts long enough to be interrupted: one chunk for every five hundred rows. Work that a killed
 * worker had begun is retried after five seconds.
 */
export function interruptibleRun(rows: number): Readonly<Record<string, string>> {
  return {
    "sluice.yaml": laptopConfig
      .replace("from: exports", "chunk: { records: 500 }\n    from: exports")
      .replace("retry_initial: 500ms", "retry_initial: 500ms, heartbeat_timeout: 5s"),
    "accounts.csv": accountsCsv(rows),
  };
}
