import type { WorkflowHandleWithFirstExecutionRunId } from "@temporalio/client";

import type { LedgerEntry } from "../../src/sandbox/ledger.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { recordsUnderWay, type OracleRow, type Snapshot } from "../support/ledger/facts.ts";
import { readService, readStore } from "../support/ledger/view.ts";
import type { Tell } from "./journal.ts";
import type { Injection, Plan, ProcessFault } from "./plan.ts";
import { stopFor, victimsOf } from "./victims.ts";
import type { Fleet } from "./world/fleet.ts";
import type { FaultOrder } from "./world/http-faults.ts";
import type { TestTemporal } from "./world/temporal.ts";

/** A workflow that is under way. */
export type Handle = WorkflowHandleWithFirstExecutionRunId;

/** A fault that was injected, and the ledger line that triggered it. */
export type InjectedFault = {
  readonly fault: ProcessFault;
  readonly entry: LedgerEntry;
  /** Whether the request of that line was still held. */
  readonly isHeld: boolean;
};

/** The run in whose course faults are injected. */
export type Target = {
  readonly handle: Handle;
  readonly oracle: readonly OracleRow[];
  /** Lines of the ledger before the run's first. */
  readonly since: number;
};

type FaultInjectorParts = {
  readonly plan: Plan;
  readonly fleet: Fleet;
  readonly state: StateStore;
  readonly temporal: TestTemporal;
  readonly tell: Tell;
};

/** The run of a workflow; undefined before it has opened it. */
export async function runOf(
  state: Pick<StateStore, "runs">,
  { firstExecutionRunId }: Handle,
): Promise<Run | undefined> {
  // All runs of a seed: the newest by a worker's clock may not be the last one.
  const runs = await state.runs({ limit: 10 });
  return runs.find(({ firstRunId }) => firstRunId === firstExecutionRunId);
}

/** Injects a plan's faults of processes as their events come, and keeps a snapshot at each. */
export class FaultInjector {
  readonly snapshots: Snapshot[] = [];
  /** Records that were under way at each injected fault. */
  readonly underWay: number[] = [];
  readonly injected: InjectedFault[] = [];
  readonly #parts: FaultInjectorParts;
  readonly #background: Promise<void>[] = [];
  #waiting: readonly Injection[];
  #lines = 0;

  constructor(parts: FaultInjectorParts) {
    this.#parts = parts;
    this.#waiting = parts.plan.injections;
  }

  /** Starts the sandbox with the plan's faults of requests, preceded by the holds that have not been met yet. */
  async startSandbox(): Promise<void> {
    const { fleet, plan } = this.#parts;
    const holds = this.#waiting.flatMap(({ at }) => ("hold" in at ? [at.hold] : []));
    await fleet.startSandbox({
      faults: [...holds, ...plan.faults],
      requests_per_minute: plan.requestsPerMinute,
    });
  }

  /** Takes the next line of the ledger; returns once the fault that it triggers is injected. */
  async meet(entry: LedgerEntry, target: Target): Promise<void> {
    this.#lines += 1;
    const { step, status, fault, applied } = entry;
    this.#parts.tell("request", { line: this.#lines, step, status, fault, applied });
    const injection = this.#waiting.find(({ at }) =>
      "hold" in at ? isHeldBy(entry, at.hold) : at.line === this.#lines,
    );
    if (injection === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== injection);
    this.injected.push({ fault: injection.fault, entry, isHeld: "hold" in injection.at });
    await this.#inject(injection, target);
    // Temporal's death makes no outcome unknown: the results of activities are in the store.
    if (injection.fault !== "kill-temporal") await this.#look(injection.fault, target);
  }

  /** Resolves when the zombies are awake. */
  async settled(): Promise<void> {
    await Promise.all(this.#background);
  }

  async #inject(injection: Injection, { handle }: Target): Promise<void> {
    const { fleet, temporal, tell } = this.#parts;
    const { at, fault } = injection;
    switch (fault) {
      case "kill-sandbox":
        tell(fault, { at });
        await fleet.endSandbox("SIGKILL");
        await this.startSandbox();
        return;
      case "kill-temporal":
        tell(fault, { at });
        await temporal.crash();
        return;
      case "kill":
      case "stop":
      case "term": {
        const victims = await victimsOf(injection, { handle, fleet });
        tell(fault, { at, pids: victims.map(({ pid }) => pid) });
        if (fault === "stop") {
          const zombies = stopFor(victims, fleet, tell);
          // The error reaches whoever awaits `settled`; until then a failure must not end this process.
          zombies.catch(() => undefined);
          this.#background.push(zombies);
        } else {
          const signal = fault === "kill" ? "SIGKILL" : "SIGTERM";
          const ends = victims.map(async (victim) => await victim.end(signal));
          if (fault === "kill") await Promise.all(ends);
        }
      }
    }
  }

  /** Keeps the current state of store and service; the store first, because the service only gains. */
  async #look(fault: ProcessFault, { handle, oracle, since }: Target): Promise<void> {
    const { state, fleet } = this.#parts;
    const { runId = "" } = (await runOf(state, handle)) ?? {};
    const store = await readStore(state, { runId, oracle });
    const service = await readService(fleet.sandboxAddress, since);
    this.snapshots.push({ store, service });
    // A worker that receives SIGTERM finishes what it sends (docs/facts/faults.md#promises, P13).
    if (fault !== "term") this.underWay.push(recordsUnderWay(store));
  }
}

function isHeldBy(entry: LedgerEntry, hold: FaultOrder): boolean {
  return entry.step === hold.step && entry.fault === hold.do;
}
