/**
 * The id of a schedule in Temporal, and the start of its workflows' ids, to which Temporal adds the time.
 * No two projects on one server and no two names share one: a task queue may contain a dot, a name never does.
 */
export function scheduleId(taskQueue: string, name: string): string {
  return `sluice-${taskQueue}.${name}`;
}

/** The name of the schedule that verifies a sync; no sync or pull can have it. */
export function verifyName(sync: string): string {
  return `${sync}/verify`;
}

/** The name in a schedule's id, also for a verification; undefined for a schedule that is not of this task queue. */
export function nameOfSchedule(taskQueue: string, id: string): string | undefined {
  const prefix = scheduleId(taskQueue, "");
  const name = id.slice(prefix.length);
  return id.startsWith(prefix) && /^[a-z][a-z0-9_-]*(?:\/verify)?$/.test(name) ? name : undefined;
}

/** The task queue in the id of a schedule of that name; undefined for a schedule of another name. */
export function queueOfSchedule(name: string, id: string): string | undefined {
  const [prefix, end] = ["sluice-", `.${name}`];
  return id.startsWith(prefix) && id.endsWith(end)
    ? id.slice(prefix.length, -end.length)
    : undefined;
}

/** The id of the schedule that checks the inboxes of a task queue; no sync or pull can have it, on any queue. */
export function inboxCheckScheduleId(taskQueue: string): string {
  return scheduleId(taskQueue, "_inbox-check");
}
