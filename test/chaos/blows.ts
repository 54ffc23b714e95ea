import { setTimeout as delay } from "node:timers/promises";

import type { WorkflowHandle } from "@temporalio/client";

import type { Step } from "../../src/sandbox/faults/faults.ts";
import type { Tell } from "./journal.ts";
import type { Strike } from "./plan.ts";
import type { Fleet } from "./world/fleet.ts";
import type { Running } from "./world/program.ts";
import { heartbeatTimeoutMs } from "./world/project.ts";

/** Which activity makes a request of each step. */
const activityOf: Readonly<Partial<Record<Step, string>>> = {
  "upload-json": "uploadJson",
  "generate-upload-url": "uploadFile",
  put: "uploadFile",
  "confirm-upload": "confirmUpload",
};

/** Temporal's number of the state of an activity that a worker has taken. */
const started = 2;

/** The workers that are at a step, as Temporal has it; each names itself by its pid. */
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

/** Who is hit: the workers where the strike says, else one of them, else all there are. */
export async function victimsOf(
  strike: Strike,
  of: { readonly handle: Pick<WorkflowHandle, "describe">; readonly fleet: Fleet },
): Promise<Running[]> {
  const { fleet, handle } = of;
  if (!("hold" in strike.at)) return fleet.workers.slice(0, 1);
  const { step } = strike.at.hold;
  const found = await workersAt(handle, step, fleet).catch(() => []);
  return found.length > 0 ? found : fleet.workers;
}

/**
 * Stops workers, with another one at work meanwhile, and lets them continue after twice the heartbeat
 * timeout, when everything they did has been given to others.
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
