import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "@temporalio/client";

import type { SandboxFaultName } from "../../src/sandbox/faults/faults.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import type { HeldRecord, OracleRow, StoreFacts } from "../support/ledger/facts.ts";
import type { OracleSource } from "../support/ledger/oracle.ts";
import { readService, readStore } from "../support/ledger/view.ts";
import { type Handle, runOf } from "./fault-injector.ts";
import type { Tell } from "./journal.ts";
import type { Rerun } from "./plan.ts";
import type { Fleet } from "./world/fleet.ts";
import { rowCanary } from "./world/project.ts";

const lookEveryMs = 20;
const heldMsMax = 120_000;

/** A part that is marked is sent soon after; the service does not report a request that it holds. */
const leavesMs = 1_000;

/** What a rerun needs from its seed. */
export type RerunParts = {
  readonly fleet: Fleet;
  readonly state: StateStore;
  readonly client: Client;
  readonly source: OracleSource;
  readonly tell: Tell;
  readonly start: () => Promise<Handle>;
  /** Waits until a run has ended. */
  readonly finished: (handle: Handle) => Promise<Run>;
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
};

/** The result of a rerun. */
export type Rerunning = {
  readonly violations: readonly string[];
  readonly faults: readonly SandboxFaultName[];
};

/** The files with another value in every row that is sent. */
function older(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(files);
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text.replaceAll(rowCanary, `${rowCanary} older`)]),
  );
}

function isLeaving({ parts }: StoreFacts): boolean {
  return parts.some(
    ({ form, state }) => state === "confirming" || (state === "sending" && form === "body"),
  );
}

/** Resolves once the condition holds. @throws it does not come to hold in time. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + heldMsMax;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${heldMsMax} ms`);
    await delay(lookEveryMs);
  }
}

/** Rows that differ between the service and the source. */
function wrong(
  oracle: readonly OracleRow[],
  records: ReadonlyMap<string, HeldRecord>,
): readonly string[] {
  return oracle.flatMap(({ key, verdict }) => {
    if (verdict.kind !== "accept") return [];
    return records.get(key)?.record === verdict.record ? [] : [key];
  });
}

function isDone(outcome: Run["outcome"]): boolean {
  return outcome === "done" || outcome === "done_with_rejects";
}

/** Ends a run whose request the service holds, in the way the plan says. */
async function giveUp({ by }: Rerun, handle: Handle, parts: RerunParts): Promise<void> {
  const { fleet, finished, tell } = parts;
  tell("a run is given up", { by });
  if (by === "cancel") await handle.cancel();
  if (by === "terminate") await handle.terminate("chaos");
  if (by === "kill")
    await Promise.all(fleet.workers.map(async (each) => await each.end("SIGKILL")));
  // For a terminated run, only the next run records that it has ended.
  if (by !== "terminate") await finished(handle);
}

/**
 * Sends older values, abandons their run while the service holds one of its requests, fixes the source and runs again,
 * before and after that request is applied.
 */
async function rerunHeld(rerun: Rerun, parts: RerunParts): Promise<Rerunning> {
  const { fleet, state, source, start, finished, write } = parts;
  const { oracle } = source;
  const lines = async (): Promise<number> =>
    (await readService(fleet.sandboxAddress)).ledger.length;
  await fleet.endSandbox("SIGTERM");
  await fleet.startSandbox({ faults: rerun.holds });
  const since = await lines();
  await write(older(source.now));
  const held = await start();
  await until("a request of the run to be given up", async () => {
    const run = await runOf(state, held);
    return run !== undefined && isLeaving(await readStore(state, { runId: run.runId, oracle }));
  });
  await delay(leavesMs);
  await giveUp(rerun, held, parts);
  await write(source.now);
  const outcomes = [(await finished(await start())).outcome];
  await until("the request that the service holds", async () => {
    const { ledger } = await readService(fleet.sandboxAddress, since);
    return ledger.some(({ fault }) => fault === "hold");
  });
  outcomes.push((await finished(await start())).outcome);
  const { records } = await readService(fleet.sandboxAddress, since);
  const keys = wrong(oracle, records);
  return {
    violations: [
      ...outcomes
        .filter((outcome) => !isDone(outcome))
        .map((outcome) => `a rerun ended as ${outcome}`),
      ...(keys.length === 0
        ? []
        : [`P1: ${keys.length} records older than the source after a rerun: ${keys[0]}, …`]),
    ],
    faults: ["hold"],
  };
}

/** Resets the ended run to its first task: nothing may be sent, and the run must stay as it was. */
async function resetEnded(parts: RerunParts): Promise<Rerunning> {
  const { client, fleet, state, start, finished, tell } = parts;
  const handle = await start();
  const { runId, outcome } = await finished(handle);
  const { ledger } = await readService(fleet.sandboxAddress);
  const { runId: executionId } = await handle.describe();
  const { events } = await client.workflow.getHandle(handle.workflowId, executionId).fetchHistory();
  const firstTask = events?.find(
    ({ workflowTaskCompletedEventAttributes: end }) => (end ?? undefined) !== undefined,
  );
  tell("a run is reset", { runId });
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId: executionId },
    reason: "chaos",
    workflowTaskFinishEventId: firstTask?.eventId ?? null,
    requestId: `reset-${executionId}`,
  });
  const again = client.workflow.getHandle(handle.workflowId);
  const end = await again.result().then(
    () => "done",
    () => "refused",
  );
  const now = await readService(fleet.sandboxAddress);
  const run = await state.run(runId);
  return {
    violations: [
      ...(end === "refused" ? [] : [`P11: a run that was reset after its end ended as ${end}`]),
      ...(now.ledger.length === ledger.length ? [] : ["P11: a run that was reset sent something"]),
      ...(run?.outcome === outcome ? [] : [`P11: a reset made ${run?.outcome} of ${outcome}`]),
    ],
    faults: [],
  };
}

/** Performs what happens after the main run. */
export async function runAgain(plan: Rerun, parts: RerunParts): Promise<Rerunning> {
  return plan.by === "reset" ? await resetEnded(parts) : await rerunHeld(plan, parts);
}
