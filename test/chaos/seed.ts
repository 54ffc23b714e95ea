import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { SandboxFaultName } from "../../src/sandbox/faults/faults.ts";
import type { LedgerEntry } from "../../src/sandbox/ledger.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import { openSqliteStore } from "../../src/state/sqlite/open.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import type { OracleRow, Snapshot } from "../support/ledger/facts.ts";
import type { OracleSource } from "../support/ledger/oracle.ts";
import { readStore } from "../support/ledger/view.ts";
import { keptPorts } from "../support/process/kept-ports.ts";
import {
  type Handle,
  runOf,
  FaultInjector,
  type InjectedFault,
  type Target,
} from "./fault-injector.ts";
import { createJournal, LedgerTail, type Tell } from "./journal.ts";
import { makeMove, movedSource, movedSync } from "./moves.ts";
import type { Plan } from "./plan.ts";
import { runAgain, type Rerunning } from "./reruns.ts";
import type { Databases, OneAddress } from "./world/databases.ts";
import { Fleet } from "./world/fleet.ts";
import { type FullDisk, fillDisk } from "./world/full-disk.ts";
import { makeProject, sourceOf, writeFiles } from "./world/project.ts";
import type { TestTemporal } from "./world/temporal.ts";

const lookEveryMs = 20;
/** Far longer than a run takes on a busy machine: after this it hangs. */
const runMsMax = 300_000;

/** What is left to check when everything has happened. */
export type Aftermath = {
  readonly oracle: readonly OracleRow[];
  readonly run: Run;
  readonly since: number;
  /** The deliberate faults in earlier runs, which they ended. */
  readonly faultsBefore: readonly SandboxFaultName[];
  readonly snapshots: readonly Snapshot[];
  /** Records that were under way at each injected fault. */
  readonly underWay: readonly number[];
  readonly injected: readonly InjectedFault[];
  readonly endedMs: number;
  readonly historyBytes: number;
  /** Whether staging hit the full disk, if the plan has one. */
  readonly metFullDisk: boolean;
};

/** What seeds share. */
export type Shared = { readonly temporal: TestTemporal; readonly databases: Databases };

/** One seed under way: its processes, and what has happened to them. The caller closes it. */
export class Seed {
  readonly fleet: Fleet;
  readonly state: StateStore;
  readonly #folder: string;
  readonly #plan: Plan;
  readonly #temporal: TestTemporal;
  readonly #source: OracleSource;
  readonly #tell: Tell;
  readonly #tail: LedgerTail;
  readonly #injector: FaultInjector;
  readonly #database: OneAddress | undefined;
  #disk: FullDisk | undefined;
  #isDiskStillFull = true;
  #closed: Promise<void> | undefined;

  private constructor(parts: {
    folder: string;
    plan: Plan;
    temporal: TestTemporal;
    fleet: Fleet;
    state: StateStore;
    tell: Tell;
    database: OneAddress | undefined;
  }) {
    this.#folder = parts.folder;
    this.#plan = parts.plan;
    this.#temporal = parts.temporal;
    this.fleet = parts.fleet;
    this.state = parts.state;
    this.#tell = parts.tell;
    this.#source = sourceOf(parts.plan);
    this.#tail = new LedgerTail(this.fleet.ledgerFile);
    this.#injector = new FaultInjector(parts);
    this.#database = parts.database;
  }

  /** Makes the project in an empty folder; the plan is written there before anything starts. */
  static async open(folder: string, plan: Plan, on: Shared): Promise<Seed> {
    const { temporal, databases } = on;
    const project = join(folder, "project");
    await mkdir(join(project, ".sluice"), { recursive: true });
    await writeFile(join(folder, "plan.json"), JSON.stringify(plan, undefined, 2));
    const tell = createJournal(join(folder, "events.jsonl"));
    const [sandboxPort = 0] = await keptPorts(1);
    const place = { folder, project, sandboxPort, temporalAddress: temporal.address };
    const fleet = new Fleet(place, plan, tell);
    const state = await openSqliteStore(join(project, ".sluice"));
    const { move } = plan;
    const database =
      move === undefined
        ? undefined
        : await databases.behindOneAddress(`chaos-${process.pid}-${plan.seed}`);
    const seed = new Seed({ folder, plan, temporal, fleet, state, tell, database });
    const moved = move && database && movedSource(move, database.url);
    await makeProject(project, {
      plan,
      source: seed.#source,
      address: fleet.sandboxAddress,
      queue: seed.#queue,
      moved,
    });
    return seed;
  }

  /** A task queue of its own, on a server that other seeds share. */
  get #queue(): string {
    return `chaos-${process.pid}-${this.#plan.seed}`;
  }

  /** Lets everything happen, and the run finish by itself. @throws it does not finish. */
  async run(): Promise<Aftermath> {
    await Promise.all([
      this.fleet.startSandbox({ faults: [] }),
      ...this.#plan.clockHours.map(async (_, number) => await this.fleet.startWorker(number)),
    ]);
    const first = await this.#finished(await this.#start());
    if (first.outcome !== "done") throw new Error(`the first run ended as ${first.outcome}`);
    await writeFiles(join(this.#folder, "project"), this.#source.now);
    const oracle = await this.#endRun();
    await this.fleet.endSandbox("SIGTERM");
    const ledger = await this.#tail.next();
    await this.#injector.startSandbox();
    if (this.#plan.isDiskFull) {
      this.#disk = await fillDisk(join(this.#folder, "project/.sluice/staging"));
      this.#tell("the disk is full", { means: this.#disk.means });
    }
    const handle = await this.#start();
    const since = ledger.length;
    const run = await this.#survive({ handle, oracle, since });
    const endedMs = Date.now();
    await this.#injector.settled();
    await this.fleet.whole();
    const { snapshots, underWay, injected } = this.#injector;
    const { historySize = 0 } = await handle.describe();
    return {
      oracle,
      run,
      since,
      faultsBefore: firedIn(ledger),
      snapshots,
      underWay,
      injected,
      endedMs,
      historyBytes: historySize,
      metFullDisk: this.#disk !== undefined && !this.#isDiskStillFull,
    };
  }

  /** Abandons a run and runs again, if the plan has it; to be called once everything else is read. */
  async rerun(): Promise<Rerunning> {
    const { rerun: plan } = this.#plan;
    if (plan === undefined) return { violations: [], faults: [] };
    return await runAgain(plan, {
      fleet: this.fleet,
      state: this.state,
      client: this.#temporal.client,
      source: this.#source,
      tell: this.#tell,
      start: async () => await this.#start(),
      finished: async (handle) => await this.#finished(handle),
      write: async (files) => await writeFiles(join(this.#folder, "project"), files),
    });
  }

  /** Makes the plan's changes to a table, after everything else. Returns the violations found. */
  async move(): Promise<readonly string[]> {
    const { move } = this.#plan;
    if (move === undefined || this.#database === undefined) return [];
    return await makeMove(move, {
      fleet: this.fleet,
      state: this.state,
      database: this.#database,
      tell: this.#tell,
      start: async () => await this.#start(movedSync),
      finished: async (handle) => await this.#finished(handle),
    });
  }

  /** Ends every process, and leaves files alone. A second call does nothing. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    await this.#injector.settled().catch(() => undefined);
    await this.fleet.close();
    await this.#disk?.close();
    await this.#database?.close();
    await this.state.close();
  }

  async #start(sync = "accounts"): Promise<Handle> {
    return await this.#temporal.client.workflow.start("sync", {
      taskQueue: this.#queue,
      workflowId: `${this.#queue}-${sync}`,
      args: [{ sync }],
    });
  }

  /** The run of a workflow, once both have ended. */
  async #finished(handle: Handle): Promise<Run> {
    const run = await this.#ended(handle, async () => undefined);
    // The result of a failed workflow throws; the outcome of its run is in the store.
    await handle.result().catch(() => undefined);
    this.#tell("a run has ended", { outcome: run.outcome, failure: run.failure?.code });
    return run;
  }

  /** Polls until a run has ended, and does `meanwhile` each time. */
  async #ended(handle: Handle, meanwhile: () => Promise<void>): Promise<Run> {
    const giveUpAt = performance.now() + runMsMax;
    for (;;) {
      await meanwhile();
      const run = await runOf(this.state, handle);
      if (run !== undefined && run.outcome !== null) return run;
      if (performance.now() > giveUpAt) throw new Error("the run does not finish by itself");
      await delay(lookEveryMs);
    }
  }

  /**
   * Makes a run end for a reason that only a person can fix, then fixes it. Returns what becomes of each row in the
   * next run, which finds the rows of committed chunks unchanged.
   */
  async #endRun(): Promise<readonly OracleRow[]> {
    const { oracle } = this.#source;
    const { ending } = this.#plan;
    if (ending === undefined) return oracle;
    await this.fleet.endSandbox("SIGTERM");
    const { fault, credits } = ending;
    await this.fleet.startSandbox({ faults: fault === undefined ? [] : [fault], credits });
    const run = await this.#finished(await this.#start());
    if (run.outcome !== ending.outcome || (run.failure?.code ?? "") !== ending.code) {
      throw new Error(
        `the run was to end as ${ending.outcome} (${ending.code}), and ended as ${run.outcome} (${run.failure?.code})`,
      );
    }
    await this.fleet.sluice("rate-limit", "reset");
    const { covered } = await readStore(this.state, { runId: run.runId, oracle });
    this.#tell("what ended the run is fixed", { covered });
    return oracle.map((row, index) => {
      const { verdict } = row;
      if (index >= covered || verdict.kind !== "accept") return row;
      return { ...row, verdict: { kind: "unchanged", record: verdict.record } };
    });
  }

  /** Injects faults at the plan's events, as the ledger shows them, until the run has ended. */
  async #survive(target: Target): Promise<Run> {
    return await this.#ended(target.handle, async () => {
      await this.#freeDisk(target.handle);
      for (const entry of await this.#tail.next()) await this.#injector.meet(entry, target);
    });
  }

  /**
   * Makes room once staging hit the full disk, according to the store: Temporal delays a log line whose time is ahead
   * of a slow clock.
   */
  async #freeDisk(handle: Handle): Promise<void> {
    if (this.#disk === undefined || !this.#isDiskStillFull) return;
    const { runId } = (await runOf(this.state, handle)) ?? {};
    if (runId === undefined) return;
    if ((await this.state.faultTimes({ runId, chunk: 1, fault: "staging" })) === 0) return;
    this.#isDiskStillFull = false;
    await this.#disk.free();
    this.#tell("the disk has room");
  }
}

/** The faults in a ledger. */
export function firedIn(ledger: readonly LedgerEntry[]): SandboxFaultName[] {
  return ledger.flatMap(({ fault }) => (fault === null ? [] : [fault]));
}
