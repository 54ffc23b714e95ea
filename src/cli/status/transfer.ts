import type { ScheduleConfig } from "../../config/schema/schedule.ts";
import { isOfDoubt } from "../../report/doubt-warnings.ts";
import type { RunReport } from "../../report/report.ts";
import { nextTimes } from "../../schedules/fire-times.ts";
import { missedAfterMs, missedRunsCountedMax } from "../../schedules/limits.ts";
import { isOf, type ListedState } from "../../schedules/missed.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import { heldLines } from "../../text/hold-text.ts";
import { counted } from "../../text/quantities.ts";
import { heldHint, type Unsendable, whatNotesEnd } from "../run/unsendable.ts";
import type { OpenRun, Silent } from "../running/ask-temporal.ts";

/** The parts of a configured sync or pull that its status needs. */
export type TransferState = {
  readonly name: string;
  readonly kind: "sync" | "pull";
  readonly schedule: ScheduleConfig | undefined;
};

/** Something that is not as it should be, and what to do about it. */
export type TransferProblem = { readonly text: string; readonly hint?: string | undefined };

/** The status of a sync or pull. */
export type TransferStatus = TransferState & {
  /** The report of its newest run; undefined before the first. */
  readonly last: RunReport | undefined;
  /** When it begins by itself; undefined if nothing schedules it, or Temporal says that it will not. */
  readonly next: Date | undefined;
  /** What its run waits for; undefined while it progresses, or if none continues. */
  readonly waiting: string | undefined;
  /** Open rejects, whichever run holds them; always 0 for a pull. */
  readonly openRejects: number;
  readonly problem: TransferProblem | undefined;
};

/** The command that begins a run of a kind, or continues with one. */
const beginning = { sync: "run", pull: "pull", backfill: "backfill" } as const;

/** What is wrong with a run that has not ended. `open` is undefined if Temporal did not say. */
export function problemOfOpen(
  { name, kind }: { readonly name: string; readonly kind: keyof typeof beginning },
  { open, workers, isAsked = true }: Pick<Seen, "isAsked" | "open" | "workers">,
): TransferProblem | undefined {
  if (!isAsked) return undefined;
  // Without a server and a worker nobody continues with it: it was interrupted.
  if (open === undefined && workers !== 0) {
    const hint = "is its server running? `sluice doctor`";
    return { text: "Temporal does not say how far it is", hint };
  }
  if (open?.isWorkflowOpen === true) return undefined;
  return { text: "interrupted", hint: `\`sluice ${beginning[kind]} ${name}\`` };
}

/**
 * Why nobody can answer a held run, and what to do; undefined if somebody can, as far as is known.
 * @param sync as `runnableSync` returns it
 */
export function whyUnanswerable(
  sync: string | undefined,
  { open, isElsewhere = false }: Pick<Seen, "isElsewhere" | "open">,
): Unsendable | undefined {
  const noting = whatNotesEnd(sync);
  if (open?.isWorkflowOpen === false) {
    const why = "its workflow was ended from outside: nothing of it is sent";
    return { why, hint: sync === undefined ? `${noting} notes that it has ended` : noting };
  }
  if (!isElsewhere) return undefined;
  return {
    why: "it waits at another Temporal than the one that is used here",
    hint: `set TEMPORAL_ADDRESS to that one; where it is lost, ${noting} notes that the run has ended`,
  };
}

/** What a run is held for, and who has to answer. */
function problemOfHeld(
  { hold, run_id: runId, sync }: RunReport,
  seen: Pick<Seen, "isElsewhere" | "open" | "unsendable">,
): TransferProblem {
  const { open, unsendable } = seen;
  const lost = whyUnanswerable(sync, seen);
  if (lost !== undefined && open?.isWorkflowOpen === false) {
    return { text: `it was held, and ${lost.why}`, hint: lost.hint };
  }
  const since = minuteText(hold?.since ?? "");
  const why = [
    ...(hold === undefined ? [] : heldLines(hold)),
    ...(unsendable === undefined ? [] : [unsendable.why]),
  ].join("; ");
  if (lost !== undefined) {
    return { text: `held since ${since}: ${why}; ${lost.why}`, hint: lost.hint };
  }
  return { text: `held since ${since}: ${why}`, hint: heldHint(runId, unsendable) };
}

/** Why it does not begin by itself although the file schedules it. */
function problemOfSchedule(
  { name, schedule }: TransferState,
  { scheduled, silent }: Pick<Seen, "scheduled" | "silent">,
): TransferProblem | undefined {
  if (schedule === undefined) return undefined;
  if (silent !== undefined) {
    return { text: `nothing says that its schedule is on: ${silent.text}`, hint: silent.hint };
  }
  if (scheduled?.kind === "none") {
    return { text: "Temporal has no schedule for it", hint: "`sluice schedule apply`" };
  }
  if (scheduled?.kind !== "paused") return undefined;
  const { note = "" } = scheduled;
  const text = `its schedule is paused${note === "" ? "" : `: ${note}`}`;
  return { text, hint: `\`sluice schedule resume ${name}\`` };
}

/** How far Temporal's clock may be ahead of the store's: the clocks of hosts may be hours off. */
const aheadMsMax = 12 * 3_600_000;

/** When a run began, and for which scheduled time; null if a person began it. */
type Begun = Pick<Run, "nominalAt" | "startedAt">;

/** When a run began, in Unix ms by Temporal's clock, as far as its scheduled time shows that. */
function begunMs({ startedAt, nominalAt }: Begun, now: Date): number {
  const [began, nominal] = [Date.parse(startedAt), Date.parse(nominalAt ?? startedAt)];
  // `temporal schedule backfill` begins runs for future times, which say nothing about the nights until then.
  const isOfClock = nominal <= Math.min(began + aheadMsMax, now.getTime());
  return isOfClock ? Math.max(began, nominal) : began;
}

/** Whether a schedule, in its present form, began a run: Temporal had it then. */
function isBegunBy(schedule: ScheduleConfig, { nominalAt }: Begun): boolean {
  return nominalAt !== null && isOf(schedule, new Date(nominalAt));
}

/** How many scheduled times have passed since a run, and since Temporal has the schedule; 0 if neither is known. */
function passedSince(
  schedule: ScheduleConfig,
  { run, since }: { readonly run: Begun | undefined; readonly since?: Date | undefined },
  now: Date,
): number {
  const until = new Date(now.getTime() - missedAfterMs);
  // The clock of Temporal, which began the run, may be ahead of the store's: then the run's own time is still to come.
  const begun = run === undefined ? undefined : begunMs(run, now);
  const isThere = run !== undefined && isBegunBy(schedule, run);
  const times = [begun, isThere ? undefined : since?.getTime()].filter((ms) => ms !== undefined);
  if (times.length === 0) return 0;
  const after = new Date(Math.max(...times));
  return nextTimes(schedule, { after, until, count: missedRunsCountedMax }).length;
}

/**
 * Whether scheduled times have passed since a run if Temporal had the schedule then, which the run does not show. Where
 * there was no run, they may have.
 */
export function isMissedIfThere(
  schedule: ScheduleConfig | undefined,
  run: Begun | undefined,
  now: Date,
): boolean {
  if (schedule === undefined) return false;
  if (run === undefined) return true;
  return !isBegunBy(schedule, run) && passedSince(schedule, { run }, now) > 0;
}

/** The problem that scheduled times have passed since the last run, or without a first one. */
function overdue(
  { schedule }: TransferState,
  { last, nominalAt, ranElsewhere, scheduled }: Seen,
  now: Date,
): TransferProblem | undefined {
  if (schedule === undefined) return undefined;
  const run =
    last === undefined
      ? ranElsewhere
      : { startedAt: last.started_at, nominalAt: nominalAt ?? null };
  const since = scheduled !== undefined && "since" in scheduled ? scheduled.since : undefined;
  const length = passedSince(schedule, { run, since }, now);
  if (length === 0) return undefined;
  const runs = `${counted(length, "scheduled run")} did not happen`;
  const text = last === undefined ? runs : `${runs} since`;
  return { text, hint: "is a worker running? `sluice schedule list`" };
}

function problemOfFailed({ error }: RunReport): TransferProblem | undefined {
  return error === undefined ? undefined : { text: error.message, hint: error.hint };
}

/** The problem left by a run that moved its rows. */
function problemOfLeft(last: RunReport, openRejects: number): TransferProblem | undefined {
  const { error, counts, run_id: runId } = last;
  if (error !== undefined) return undefined;
  // For a sync, open rejects count, whichever run holds them.
  if (last.kind === "pull" && counts.rejected > 0) {
    const rows = `${counted(counts.rejected, "row")} rejected`;
    return { text: rows, hint: `\`sluice rejects list ${runId}\`` };
  }
  if (openRejects > 0) {
    const hint = `\`sluice rejects list --open --sync ${last.sync}\``;
    return { text: `${counted(openRejects, "reject")} open`, hint };
  }
  // Doubts from then are shown as they are now, on lines of their own.
  const warning = last.warnings.find((text) => !isOfDoubt(text));
  return warning === undefined
    ? undefined
    : { text: warning, hint: `\`sluice runs show ${runId}\`` };
}

/** Several problems as one, with what to do about the first: an open reject must not hide that no run begins. */
function together(problems: readonly (TransferProblem | undefined)[]): TransferProblem | undefined {
  const found = problems.filter((problem) => problem !== undefined);
  const text = found.map((problem) => problem.text).join("; ");
  return found.length === 0 ? undefined : { text, hint: found[0]?.hint };
}

/** An ISO time as a person reads it. */
export function minuteText(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

/** The facts seen of a sync or pull: the report of its newest run, and what Temporal says, if it says anything. */
export type Seen = {
  readonly last: RunReport | undefined;
  readonly open: OpenRun | undefined;
  /** Whether Temporal was asked about it: the last answer to a page may be older than the run. @default it was */
  readonly isAsked?: boolean | undefined;
  /** Whether it is at another Temporal than commands use here. @default it is not, as far as is known */
  readonly isElsewhere?: boolean | undefined;
  /** The scheduled time for which the newest run began. @default a person began it */
  readonly nominalAt?: string | undefined;
  /** Where there is no run at this target: the newest one at another. @default there is none either */
  readonly ranElsewhere?: Begun | undefined;
  readonly scheduled?: ListedState | undefined;
  /** Why Temporal says nothing about this project. @default it does, or is slow */
  readonly silent?: Pick<Silent, "hint" | "text"> | undefined;
  /** Live workers of the project. @default there may be some */
  readonly workers?: number | undefined;
  /** Open rejects, whichever run holds them. @default none */
  readonly openRejects?: number | undefined;
  /** For a held run: why it cannot be approved. @default it can */
  readonly unsendable?: Unsendable | undefined;
};

/** The status of a sync or pull at a time, from what was seen of it. */
export function statusOf(transfer: TransferState, seen: Seen, now: Date): TransferStatus {
  const { last, open, openRejects = 0 } = seen;
  const { schedule } = transfer;
  const halted = problemOfSchedule(transfer, seen);
  const begins = halted === undefined ? schedule : undefined;
  const [next] = begins === undefined ? [] : nextTimes(begins, { after: now, count: 1 });
  const common = { ...transfer, last, next, waiting: open?.waiting, openRejects };
  if (last === undefined) return { ...common, problem: halted ?? overdue(transfer, seen, now) };
  if (last.outcome === "held") {
    return { ...common, problem: problemOfHeld(last, seen) };
  }
  if (last.outcome === "running") {
    return { ...common, problem: problemOfOpen(transfer, seen) ?? halted };
  }
  const problem = together([
    problemOfFailed(last),
    halted ?? overdue(transfer, seen, now),
    problemOfLeft(last, openRejects),
  ]);
  return { ...common, problem };
}
