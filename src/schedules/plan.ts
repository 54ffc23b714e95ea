import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
} from "@temporalio/client";

import { ConfigError } from "../errors.ts";
import { nameOfSchedule, queueOfSchedule, scheduleId } from "./ids.ts";
import {
  differencesOf,
  scheduleOptions,
  storeOf,
  type Difference,
  type Owner,
} from "./temporal-schedule.ts";
import type { Wanted } from "./wanted.ts";

/** The note of a schedule that was paused because the file no longer has it. */
export const leftNote = "sluice.yaml does not schedule it any more";

/** One step that brings Temporal to what the file wants. */
export type ScheduleChange =
  | { readonly kind: "create"; readonly name: string; readonly wanted: Wanted }
  | {
      readonly kind: "update";
      readonly name: string;
      readonly wanted: Wanted;
      readonly differences: readonly Difference[];
      /** Whether it was paused because it had left the file, and is now back in it. */
      readonly resumes: boolean;
    }
  | { readonly kind: "pause"; readonly name: string };

/** What there is to do, and what stays as it is. */
export type Plan = {
  readonly changes: readonly ScheduleChange[];
  /** Names of schedules that are as the file wants them. */
  readonly same: readonly string[];
  /** Names of schedules on this task queue that another project made. */
  readonly foreign: readonly string[];
  /**
   * Ids of schedules that this project, or a copy of it, made for the same names on other task queues, where they
   * start runs.
   */
  readonly elsewhere: readonly string[];
};

/** A schedule as Temporal has it; undefined if there is none with that id. */
export async function describeSchedule(
  client: Client,
  id: string,
): Promise<ScheduleDescription | undefined> {
  try {
    return await client.schedule.getHandle(id).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

/** The ids of all schedules that Temporal has. Its list may lag behind a change by a second. */
async function scheduleIds(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { scheduleId: id } of client.schedule.list()) ids.push(id);
  return ids;
}

function namesOn(taskQueue: string, ids: readonly string[]): readonly string[] {
  const names = ids.map((id) => nameOfSchedule(taskQueue, id));
  return names.filter((name) => name !== undefined).toSorted();
}

/** The names on a task queue for which Temporal's list has a schedule. */
export async function scheduledNames(
  client: Client,
  taskQueue: string,
): Promise<readonly string[]> {
  return namesOn(taskQueue, await scheduleIds(client));
}

/**
 * Those of the schedules that start runs for these names on other task queues: a project leaves them behind when
 * its `temporal.task_queue` changes.
 */
async function schedulesElsewhere(
  client: Client,
  of: { readonly ids: readonly string[]; readonly names: readonly string[] },
  { taskQueue, storeId }: Owner,
): Promise<readonly string[]> {
  const isElsewhere = (id: string): boolean =>
    of.names.some((name) => ![undefined, taskQueue].includes(queueOfSchedule(name, id)));
  const elsewhere: string[] = [];
  for (const id of of.ids.filter(isElsewhere)) {
    const found = await describeSchedule(client, id);
    if (found !== undefined && storeOf(found) === storeId && !found.state.paused)
      elsewhere.push(id);
  }
  return elsewhere.toSorted();
}

/** Compares what Temporal has with what the file wants. */
export async function planSchedules(
  client: Client,
  all: readonly Wanted[],
  owner: Owner,
): Promise<Plan> {
  const { taskQueue, storeId } = owner;
  const changes: ScheduleChange[] = [];
  const same: string[] = [];
  const foreign: string[] = [];
  for (const wanted of all) {
    const { name } = wanted;
    const found = await describeSchedule(client, scheduleId(taskQueue, name));
    if (found === undefined) {
      changes.push({ kind: "create", name, wanted });
      continue;
    }
    const differences = differencesOf(found, wanted, owner);
    const resumes = found.state.paused && found.state.note === leftNote;
    if (differences.length === 0 && !resumes) same.push(name);
    else changes.push({ kind: "update", name, wanted, differences, resumes });
  }
  const known = new Set(all.map(({ name }) => name));
  const ids = await scheduleIds(client);
  for (const name of namesOn(taskQueue, ids)) {
    if (known.has(name)) continue;
    const found = await describeSchedule(client, scheduleId(taskQueue, name));
    if (found === undefined) continue;
    if (storeOf(found) !== storeId) foreign.push(name);
    else if (!found.state.paused) changes.push({ kind: "pause", name });
  }
  const elsewhere = await schedulesElsewhere(client, { ids, names: [...known] }, owner);
  return { changes, same, foreign, elsewhere };
}

async function update(client: Client, wanted: Wanted, owner: Owner): Promise<void> {
  const { scheduleId: id, ...options } = scheduleOptions(wanted, owner);
  await client.schedule.getHandle(id).update(({ state }) => {
    // Whoever paused it had a reason, unless it was paused only because it had left the file.
    const isBack = state.paused && state.note === leftNote;
    const { remainingActions: _, ...kept } = state;
    return { ...options, state: isBack ? { paused: false } : kept };
  });
}

async function make(client: Client, change: ScheduleChange, owner: Owner): Promise<void> {
  switch (change.kind) {
    case "pause":
      await client.schedule.getHandle(scheduleId(owner.taskQueue, change.name)).pause(leftNote);
      return;
    case "update":
      await update(client, change.wanted, owner);
      return;
    case "create":
      try {
        await client.schedule.create(scheduleOptions(change.wanted, owner));
      } catch (error) {
        // Somebody else applied the file meanwhile, or another version of it.
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
        await update(client, change.wanted, owner);
      }
  }
}

/** Makes one change in Temporal. @throws {ConfigError} Temporal refuses it: its server may not know the time zone. */
export async function applyChange(
  client: Client,
  change: ScheduleChange,
  owner: Owner,
): Promise<void> {
  try {
    await make(client, change, owner);
  } catch (error) {
    // The client turns the server's "invalid argument" into a TypeError.
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError(`Temporal refuses the schedule of ${change.name}: ${error.message}`, {
      cause: error,
      hint: "its `schedule:` must be one that the server knows, too",
    });
  }
}
