import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Dependencies } from "../../../activities/dependencies.ts";
import { runEffect, type Effect } from "../../../src/effect.ts";
import type { RunReport } from "../../../src/report/report.ts";
import type { SandboxFault } from "../../../src/sandbox/faults/faults.ts";
import { startSandbox, type Sandbox } from "../../../src/sandbox/http/server.ts";
import { readService } from "../../support/ledger/view.ts";
import { watch } from "../../support/process/process.ts";
import { memoryFolder } from "../../support/process/temporary-folder.ts";
import type { Journal } from "../journal.ts";
import { driveRun } from "./drive-run.ts";
import { drive, type CrashRun } from "./drive.ts";
import type { KillPoint } from "./kill-point.ts";
import { dumpStore, loadStore, schemaPlaceOf, storeVariable } from "./store-place.ts";
import { deadProcess, journalIn, openWorker, type WorkerParts } from "./worker.ts";

type Files = Readonly<Record<string, string>>;

/** A worker that continues what a dead one left. */
export type Successor = {
  readonly deps: Dependencies;
  /** The sandbox's address. */
  readonly address: string;
  /** The folder of the project. */
  readonly folder: string;
  readonly journal: Journal;
  /** The output of the dead worker. */
  readonly stderr: string;
  /** Lines that the ledger had before the run began. */
  readonly linesBefore: number;
  /** Drives the run to its end, from where the journal ends. */
  readonly drive: () => Promise<RunReport>;
};

/** Where the state of a run that should die is: in its folder, or in a schema that represents its folder. */
export type CrashStore = "postgres" | "sqlite";

/** A run that should die, in its project. */
export type LanePlan<Found> = {
  readonly run: CrashRun;
  /** Texts of the project's files, by name. */
  readonly files: Files;
  /**
   * Files in `../source`, which all copies share: as a first run sends them, and as they are afterwards. Without them
   * there is no first run.
   */
  readonly source?: { readonly before: Files; readonly now: Files } | undefined;
  /** Finishes a run that died, and examines the result. */
  readonly finish: (successor: Successor) => Promise<Found>;
};

/** The result of one death. */
export type Death<Found> = {
  /** False if the run reached its end. */
  readonly hasDied: boolean;
  /** Names of the effects until the end; at the last of them it died. */
  readonly effects: readonly string[];
  readonly found: Found;
};

/** How a worker died. */
type Died = Pick<Death<unknown>, "hasDied"> & Pick<Successor, "stderr">;

/** A run in this process, while it runs. */
export type Recording = {
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  /** Copies everything on the disk, and in the store. */
  readonly copy: () => Promise<void>;
};

/** Wraps the effects of a run, and copies what it has left so far. */
export type Recorder = (recording: Recording) => Effect;

/** A run that reached its end in this process, and its copies. */
export type Recorded<Found> = {
  readonly whole: Death<Found>;
  readonly copies: number;
  /** Continues with the n-th copy, counted from 1; once for each. */
  readonly die: (number: number) => Promise<Death<Found>>;
};

const child = fileURLToPath(new URL("child.ts", import.meta.url));

/**
 * A run that dies again and again, each time in a copy of its project, which includes the sandbox's folder and the
 * journal.
 */
export class CrashLane<Found> {
  readonly #plan: LanePlan<Found>;
  readonly #store: CrashStore;
  /** The folder for the copies. */
  readonly #folder: string;
  #linesBefore = 0;
  #copies = 0;

  private constructor(plan: LanePlan<Found>, store: CrashStore, folder: string) {
    this.#plan = plan;
    this.#store = store;
    this.#folder = folder;
  }

  /** Makes the project, and lets its first run send the earlier state. */
  static async open<Found>(plan: LanePlan<Found>, store: CrashStore): Promise<CrashLane<Found>> {
    const { run, files, source } = plan;
    const lane = new CrashLane(plan, store, await memoryFolder());
    const folder = lane.#origin;
    const sourceFolder = join(lane.#folder, "source");
    await writeAll(folder, files);
    if (source === undefined) return lane;
    await writeAll(sourceFolder, source.before);
    await inSandbox(folder, async ({ address }) => {
      const deps = await openWorker(await lane.#worker({ folder, address, effect: runEffect }));
      const journal = journalIn(lane.#folder);
      const mode = run.kind === "sync" ? run.mode : "heavyweight";
      const ids = { runId: "run-1", workflowId: "wf-1", firstRunId: "first-1" };
      await driveRun({ run: ids, mode, deps, journal });
      await deps.close();
      if (store === "postgres") await dumpStore(folder);
      await writeAll(sourceFolder, source.now);
      lane.#linesBefore = (await readService(address)).ledger.length;
    });
    return lane;
  }

  /**
   * Runs to the end in this process, under the name of a dead process. Each of its copies dies: another worker
   * continues with it, as with what a killed process left.
   */
  async record(recorder: Recorder): Promise<Recorded<Found>> {
    const folder = await this.#copyOrigin();
    let copies = 0;
    let turn = Promise.resolve();
    // Store and sandbox write in this thread, and a request is answered once it is on the disk, so a copy is
    // consistent. Copying drops SQLite's locks on the originals, which only this process opens. A server's tables are
    // all read at once: any concurrent effect waits for its own copy.
    const copyNow = async (number: number): Promise<void> => {
      if (this.#store === "postgres") await dumpStore(folder);
      cpSync(folder, `${folder}-${number}`, { recursive: true });
    };
    const copy = async (): Promise<void> => {
      copies += 1;
      const number = copies;
      turn = turn.then(async () => await copyNow(number));
      await turn;
    };
    await inSandbox(folder, async (sandbox) => {
      const { address } = sandbox;
      const journal = journalIn(folder);
      const around = recorder({ sandbox, journal, copy });
      const effect: Effect = async (name, work) => {
        journal.add({ effect: name });
        return await around(name, work);
      };
      const at = await this.#worker({ folder, address, effect });
      const deps = await openWorker({ ...at, process: deadProcess });
      await drive(this.#plan.run, { deps, journal });
      await deps.close();
    });
    return {
      whole: await this.#finish(folder, async () => ({ hasDied: false, stderr: "" })),
      copies,
      die: async (number) => {
        const copied = `${folder}-${number}`;
        if (this.#store === "postgres") await loadStore(copied);
        return await this.#finish(copied, async () => ({ hasDied: true, stderr: "" }));
      },
    };
  }

  /** Runs in a process that kills itself at a point, optionally with a fault of the sandbox. */
  async kill(point: KillPoint, fault?: SandboxFault): Promise<Death<Found>> {
    const folder = await this.#copyOrigin();
    return await this.#finish(folder, async (sandbox) => {
      if (fault !== undefined) sandbox.order(fault);
      const { address } = sandbox;
      const { store } = await this.#worker({ folder, address, effect: runEffect });
      const asked = JSON.stringify({ folder, address, run: this.#plan.run, point });
      const running = spawn(process.execPath, [child, asked], {
        env: {
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          // Not an argument, which everybody on the machine could read: it holds a password.
          [storeVariable]: JSON.stringify(store),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { code, stderr } = await watch(running).ended;
      if (code !== null && code !== 0) throw new Error(`the worker broke: ${stderr}`);
      return { hasDied: code === null, stderr };
    });
  }

  /** A worker in a folder of this lane. In Postgres its store is the folder's schema, already filled for a copy. */
  async #worker(at: WorkerParts): Promise<WorkerParts> {
    return this.#store === "sqlite" ? at : { ...at, store: await schemaPlaceOf(at.folder) };
  }

  get #origin(): string {
    return join(this.#folder, "origin");
  }

  async #copyOrigin(): Promise<string> {
    this.#copies += 1;
    const folder = join(this.#folder, `run-${this.#copies}`);
    await cp(this.#origin, folder, { recursive: true });
    if (this.#store === "postgres") await loadStore(folder);
    return folder;
  }

  /** Lets a worker die in a folder, and another one finish what it left. */
  async #finish(folder: string, die: (sandbox: Sandbox) => Promise<Died>): Promise<Death<Found>> {
    const { run, finish } = this.#plan;
    const linesBefore = this.#linesBefore;
    const death = await inSandbox(folder, async (sandbox) => {
      const { address } = sandbox;
      const { hasDied, stderr } = await die(sandbox);
      const journal = journalIn(folder);
      const { effects } = journal.read();
      const deps = await openWorker(await this.#worker({ folder, address, effect: runEffect }));
      const end = async (): Promise<RunReport> => await drive(run, { deps, journal });
      const successor = { deps, address, folder, journal, stderr, linesBefore, drive: end };
      try {
        return { hasDied, effects, found: await finish(successor) };
      } catch (cause) {
        const where = placeOf({ effects });
        throw new Error(`${where}: the run could not be finished: ${String(cause)}`, { cause });
      } finally {
        await deps.close();
      }
    });
    await rm(folder, { recursive: true });
    return death;
  }
}

/** Where a run died, in words. */
export function placeOf({ effects }: Pick<Death<unknown>, "effects">): string {
  return `killed at effect ${effects.length}, ${effects.at(-1)}`;
}

async function inSandbox<Result>(
  folder: string,
  work: (sandbox: Sandbox) => Promise<Result>,
): Promise<Result> {
  const dataFolder = join(folder, "sandbox");
  const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, dataFolder });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function writeAll(folder: string, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
