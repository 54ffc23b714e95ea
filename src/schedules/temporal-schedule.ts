import {
  ScheduleOverlapPolicy,
  type CompiledScheduleOptions,
  type CalendarSpecDescription,
  type ScheduleDescription,
  type ScheduleOptions,
} from "@temporalio/client";
import { z } from "zod";

import { canonicalJson } from "../config/hash.ts";
import { membersOf } from "../config/schema/members.ts";
import { scheduleCatchUpMs } from "../limits.ts";
import { calendarsOf } from "./calendars.ts";
import { scheduleId } from "./ids.ts";
import { scheduleJitterMs } from "./limits.ts";
import type { Wanted } from "./wanted.ts";

/** The owner of schedules: a task queue, and the project with this state store. */
export type Owner = { readonly taskQueue: string; readonly storeId: string };

/** A difference between a schedule in Temporal and the file. */
export type Difference = { readonly what: string; readonly from: string; readonly to: string };

/** A wanted schedule as Temporal's client takes it; all but `scheduleId` and `state` also serve as an update. */
export function scheduleOptions(
  { name, schedule, workflow, input }: Wanted,
  { taskQueue, storeId }: Owner,
): CompiledScheduleOptions & Required<Pick<ScheduleOptions, "policies">> {
  const id = scheduleId(taskQueue, name);
  return {
    scheduleId: id,
    spec: {
      calendars: [...calendarsOf(schedule.cron)],
      timezone: schedule.timeZone,
      jitter: scheduleJitterMs,
    },
    action: {
      type: "startWorkflow",
      workflowType: workflow,
      workflowId: id,
      taskQueue,
      args: [input],
      // A schedule's own memo cannot be changed, so its runs carry the owner.
      memo: { sluice_store: storeId },
    },
    policies: {
      // The lock would end a second run as busy anyway; skipping it leaves no run to wonder about.
      overlap: ScheduleOverlapPolicy.SKIP,
      catchupWindow: scheduleCatchUpMs,
      pauseOnFailure: false,
    },
  };
}

/** The state store of the project that made a schedule; undefined for a schedule that is not ours. */
export function storeOf({ action }: Pick<ScheduleDescription, "action">): string | undefined {
  return z.object({ sluice_store: z.string() }).safeParse(action.memo).data?.sluice_store;
}

/** The values of fields that a calendar leaves out. */
const everything: Readonly<Record<keyof Omit<CalendarSpecDescription, "comment">, unknown>> = {
  second: [{ start: 0, end: 0, step: 1 }],
  minute: [],
  hour: [],
  dayOfMonth: [{ start: 1, end: 31, step: 1 }],
  month: [{ start: "JANUARY", end: "DECEMBER", step: 1 }],
  year: [],
  dayOfWeek: [{ start: "SUNDAY", end: "SATURDAY", step: 1 }],
};

type TimesOf = Pick<
  ScheduleDescription["spec"] | ScheduleOptions["spec"],
  "calendars" | "endAt" | "intervals" | "skip" | "startAt"
>;

/** The times of a schedule as text: equal texts mean equal times. */
function timesText({ calendars = [], intervals = [], skip = [], startAt, endAt }: TimesOf): string {
  const list: readonly unknown[] = calendars;
  const times = list.map((calendar) => {
    const { comment: _, ...fields } = membersOf(calendar);
    return { ...everything, ...fields };
  });
  // We never make any of these, so the presence of one is already a difference.
  const more = intervals.length + skip.length + Number(startAt !== undefined);
  return canonicalJson([times, more + Number(endAt !== undefined)]);
}

function seconds(ms: unknown): string {
  return `${Number(ms ?? 0) / 1_000} s`;
}

/** The longest a run may last; undefined for no limit. */
function timeLimit({
  workflowRunTimeout,
  workflowExecutionTimeout,
}: ScheduleDescription["action"]): string | undefined {
  const limit: unknown = workflowRunTimeout ?? workflowExecutionTimeout;
  return limit === undefined ? undefined : seconds(limit);
}

/** How often Temporal itself tries a run that fails. */
function triesOf({ retry }: ScheduleDescription["action"]): string {
  return retry === undefined ? "1" : String(retry.maximumAttempts ?? "any");
}

type Text = boolean | string | undefined;
type Pair = readonly [what: string, from: Text, to: Text];

/** How a schedule in Temporal differs from the file's; ignores whether it is paused. */
export function differencesOf(
  found: Pick<ScheduleDescription, "action" | "policies" | "spec" | "state">,
  wanted: Wanted,
  owner: Owner,
): readonly Difference[] {
  const { spec, action, policies } = scheduleOptions(wanted, owner);
  const isSameTimes = timesText(found.spec) === timesText(spec);
  const cron = found.spec.calendars?.[0]?.comment;
  const was = cron === undefined || cron === wanted.schedule.cron ? "times set by hand" : cron;
  const pairs: readonly Pair[] = [
    ["times", isSameTimes ? wanted.schedule.cron : was, wanted.schedule.cron],
    ["time zone", found.spec.timezone, spec.timezone],
    ["jitter", seconds(found.spec.jitter), seconds(spec.jitter)],
    ["workflow", found.action.workflowType, action.workflowType],
    ["workflow id", found.action.workflowId, action.workflowId],
    ["task queue", found.action.taskQueue, action.taskQueue],
    ["input", canonicalJson(found.action.args ?? []), canonicalJson(action.args ?? [])],
    ["state store", storeOf(found), owner.storeId],
    ["overlap", found.policies.overlap, policies.overlap],
    ["catch-up window", seconds(found.policies.catchupWindow), seconds(policies.catchupWindow)],
    ["pause on failure", found.policies.pauseOnFailure, policies.pauseOnFailure],
    ["runs that may still begin", String(found.state.remainingActions ?? "any"), "any"],
    ["time limit of a run", timeLimit(found.action), undefined],
    ["tries of a run", triesOf(found.action), "1"],
  ];
  return pairs
    .filter(([, from, to]) => from !== to)
    .map(([what, from = "none", to = "none"]) => ({ what, from: String(from), to: String(to) }));
}
