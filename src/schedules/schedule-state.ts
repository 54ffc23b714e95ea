import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "@temporalio/client";

import { eachAtOnce } from "./each-at-once.ts";
import { nameOfSchedule, scheduleId } from "./ids.ts";
import {
  scheduleListedMsMax,
  schedulesAskedAtOnce,
  schedulesDescribedMax,
  scheduleStateMsMax,
} from "./limits.ts";
import type { ListedState, ScheduleState } from "./missed.ts";
import { describeSchedule, leftNote } from "./plan.ts";

/** The state of the schedule of a sync or pull in Temporal. */
export async function scheduleState(
  client: Client,
  taskQueue: string,
  name: string,
): Promise<ScheduleState> {
  const id = scheduleId(taskQueue, name);
  try {
    const describe = async (): ReturnType<typeof describeSchedule> =>
      await describeSchedule(client, id);
    const found = await client.withDeadline(Date.now() + scheduleStateMsMax, describe);
    if (found === undefined) return { kind: "none" };
    const { paused, note } = found.state;
    const { createdAt, lastUpdatedAt: since = createdAt } = found.info;
    return { kind: paused ? "paused" : "on", note, since };
  } catch {
    // A server that cannot or may not answer must not hold up a run.
    return { kind: "unknown" };
  }
}

/** The states in Temporal's list, by the name of the sync or pull; empty if it cannot be read. */
async function listedStates(
  client: Client,
  taskQueue: string,
): Promise<ReadonlyMap<string, ListedState>> {
  const states = new Map<string, ListedState>();
  try {
    await client.withDeadline(Date.now() + scheduleStateMsMax, async () => {
      for await (const { scheduleId: id, state } of client.schedule.list()) {
        const name = nameOfSchedule(taskQueue, id);
        const { paused, note } = state;
        if (name !== undefined) states.set(name, { kind: paused ? "paused" : "on", note });
      }
    });
  } catch {
    // Then each schedule is asked for, and reports itself why it cannot be read.
  }
  return states;
}

/**
 * The states of schedules in Temporal, by name. A few are each asked for, so their states are current. Many are read
 * from Temporal's list, which lags behind a change by a second or so. Schedules missing from it are asked for, because
 * `apply` may have just made them, as are those that had left the file, because `apply` may have just resumed them.
 * `pause` and `resume` wait for the list (`untilListed`). So only changes by other programs are seen late.
 */
export async function scheduleStates(
  client: Client,
  taskQueue: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ListedState>> {
  const states = new Map<string, ListedState>();
  const isFew = names.length <= schedulesDescribedMax;
  const listed = isFew ? states : await listedStates(client, taskQueue);
  await eachAtOnce(names, schedulesAskedAtOnce, async (name) => {
    const found = listed.get(name);
    const isKnown = found !== undefined && !(found.kind === "paused" && found.note === leftNote);
    states.set(name, isKnown ? found : await scheduleState(client, taskQueue, name));
  });
  return states;
}

/**
 * States of schedules, for those of `names` with the time since which Temporal has the schedule: its list lacks that.
 * A state stays as it is where the server does not answer.
 */
export async function withSince(
  client: Client,
  taskQueue: string,
  of: { readonly states: ReadonlyMap<string, ListedState>; readonly names: readonly string[] },
): Promise<ReadonlyMap<string, ListedState>> {
  const states = new Map(of.states);
  const undated = of.names.filter((name) => {
    const state = states.get(name);
    return state !== undefined && "note" in state && state.since === undefined;
  });
  await eachAtOnce(undated, schedulesAskedAtOnce, async (name) => {
    const found = await scheduleState(client, taskQueue, name);
    if (found.kind !== "unknown") states.set(name, found);
  });
  return states;
}

/** How often the list is read. */
const lookEveryMs = 50;

/**
 * Waits until Temporal's list shows that a schedule is paused, or is not, so that the next reader of the list sees
 * it; for `scheduleListedMsMax` at most. Does not wait for a server that does not answer: the change is made.
 */
export async function untilListed(client: Client, id: string, paused: boolean): Promise<void> {
  const giveUpAt = Date.now() + scheduleListedMsMax;
  const isListed = async (): Promise<boolean> => {
    for await (const found of client.schedule.list({ query: `ScheduleId = "${id}"` })) {
      if (found.scheduleId === id) return found.state.paused === paused;
    }
    return false;
  };
  try {
    await client.withDeadline(giveUpAt, async () => {
      while (Date.now() < giveUpAt && !(await isListed())) await delay(lookEveryMs);
    });
  } catch {
    // An older server does not support this query.
  }
}
