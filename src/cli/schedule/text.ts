import type { ScheduleConfig } from "../../config/schema/schedule.ts";
import { clockChanges, type ClockChange } from "../../schedules/clock-changes.ts";
import { nextTimes } from "../../schedules/fire-times.ts";
import { zonedText } from "../../schedules/local-time.ts";
import type { ScheduleChange, Plan } from "../../schedules/plan.ts";
import { scheduleWords } from "../../schedules/words.ts";
import { plainText } from "../../text/plain-text.ts";
import { scheduleTimesShown } from "../limits.ts";
import { bold } from "../output/style.ts";

/** A schedule as it is shown: as it was configured, and the times that follow from it. */
export type ShownTimes = {
  readonly cron: string;
  readonly time_zone: string;
  readonly words: string;
  /** In the schedule's zone, with its offset. */
  readonly next: readonly string[];
  readonly clock_changes: readonly ClockChange[];
};

/** Shows the times of a schedule from `now` on. */
export function shownTimes(schedule: ScheduleConfig, now: Date): ShownTimes {
  const { cron, timeZone } = schedule;
  const next = nextTimes(schedule, { after: now, count: scheduleTimesShown });
  return {
    cron,
    time_zone: timeZone,
    words: scheduleWords(schedule),
    next: next.map((time) => zonedText(time, timeZone)),
    clock_changes: clockChanges(schedule, now),
  };
}

/** The times of a schedule: a line for the next ones, and a line for each effect of the clocks. */
export function timesText({ next, clock_changes: changes }: ShownTimes): readonly string[] {
  const effects = {
    left_out: "is left out, because the clocks go forward",
    shown_twice: "is shown twice, because the clocks go back: one run, or two",
  };
  return [
    `    next      ${next.join(", ")}`,
    ...changes.map(({ at, effect }) => `    note      ${at} ${effects[effect]}`),
  ];
}

function changeText(change: ScheduleChange, now: Date): string {
  if (change.kind === "pause") {
    return `  pause   ${bold(change.name)}: sluice.yaml does not schedule it any more`;
  }
  const { schedule } = change.wanted;
  const shown = shownTimes(schedule, now);
  if (change.kind === "create") {
    return [`  create  ${bold(change.name)}: ${shown.words}`, ...timesText(shown)].join("\n");
  }
  const differences = change.differences.map(({ what, from, to }) => `${what} ${from} → ${to}`);
  if (change.resumes) differences.push("resumed, because sluice.yaml schedules it again");
  return [
    `  update  ${bold(change.name)}: ${shown.words}`,
    ...differences.map((text) => `    change    ${plainText(text)}`),
    ...timesText(shown),
  ].join("\n");
}

/** A plan for a terminal: what `apply` would change, in words. */
export function schedulePlanText(plan: Plan, now: Date): string {
  const { changes, same } = plan;
  const left = [
    ...plan.foreign.map((name) => `  left    ${name}: another project made it`),
    ...plan.elsewhere.map(
      (id) =>
        `  left    ${id}: this project made it on another task queue, and it still starts runs there;\n` +
        `          unless a worker is to take them: temporal schedule delete --schedule-id ${id}`,
    ),
  ];
  if (changes.length === 0) {
    const kept = `nothing to change: ${same.length} schedule${same.length === 1 ? " is" : "s are"} as in sluice.yaml`;
    return [kept, ...left].join("\n");
  }
  return [...changes.map((change) => changeText(change, now)), ...left].join("\n");
}

/** The same for another program. */
export function planFacts(plan: Plan, now: Date): object {
  const changes = plan.changes.map((change) => {
    const { kind, name } = change;
    if (change.kind === "pause") return { change: kind, name };
    const times = shownTimes(change.wanted.schedule, now);
    if (change.kind === "create") return { change: kind, name, ...times };
    return {
      change: kind,
      name,
      differences: change.differences,
      resumes: change.resumes,
      ...times,
    };
  });
  return { changes, same: plan.same, foreign: plan.foreign, elsewhere: plan.elsewhere };
}
