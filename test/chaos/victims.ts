import { setTimeout as delay } from "node:timers/promises";

import type { WorkflowHandle } from "@temporalio/client";

import type { Step } from "../../src/sandbox/faults/faults.ts";
import type { Tell } from "./journal.ts";
import type { Injection } from "./plan.ts";
import type { Fleet } from "./world/fleet.ts";
import type { Running } from "./world/program.ts";
import { heartbeatTimeoutMs } from "./world/project.ts";

/** The activity that makes the request of each step. */
const activityOf: Readonly<Partial<Record<Step, string>>> = {
  "upload-json": "uploadJson",
  "generate-upload-url": "uploadFile",
  put: "uploadFile",
  "confirm-upload": "confirmUpload",
};

/** Temporal's number for the state of an activity that a worker has taken. */
const started = 2;

/** The workers that are at a step, according to Temporal; each names itself by its pid. */
async function workersAt(
  handle: Pick<WorkflowHandle, "describe">,
  step: Step,
  fleet: Fleet,
): Promise<Running[]> {
  const { raw } = await handle.describe();
  const pids = (raw.pendingActivities ?? [])
    .filter(
      ({ activityType, state }) =>
        activityType?.name === activityOf[step] && Number(state) === started,
    )
    .map(({ lastWorkerIdentity }) => Number.parseInt(lastWorkerIdentity ?? "", 10));
  return fleet.workers.filter(({ pid }) => pids.includes(pid));
}

/** The workers to hit: for a fault at a held request, those at its step, or all if none is found; otherwise one. */
export async function victimsOf(
  injection: Injection,
  of: { readonly handle: Pick<WorkflowHandle, "describe">; readonly fleet: Fleet },
): Promise<Running[]> {
  const { fleet, handle } = of;
  if (!("hold" in injection.at)) return fleet.workers.slice(0, 1);
  const { step } = injection.at.hold;
  const found = await workersAt(handle, step, fleet).catch(() => []);
  return found.length > 0 ? found : fleet.workers;
}

/**
 * Stops workers while another one is at work, and lets them continue after twice the heartbeat timeout, when all their
 * work has been given to others.
 */
export async function stopFor(
  victims: readonly Running[],
  fleet: Fleet,
  tell: Tell,
): Promise<void> {
  for (const victim of victims) victim.send("SIGSTOP");
  const hasOther = fleet.workers.length > victims.length || (await fleet.startAnotherWorker());
  await delay(2 * heartbeatTimeoutMs);
  for (const victim of victims) victim.send("SIGCONT");
  tell("zombies wake", { pids: victims.map(({ pid }) => pid) });
  if (!hasOther) await fleet.startAnotherWorker();
}
