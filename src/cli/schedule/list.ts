import type { Client, ScheduleDescription } from "@temporalio/client";

import { scheduleId } from "../../schedules/ids.ts";
import { describeSchedule, scheduledNames } from "../../schedules/plan.ts";
import { differencesOf, storeOf, type Owner } from "../../schedules/temporal-schedule.ts";
import type { Wanted } from "../../schedules/wanted.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { plainText } from "../../text/plain-text.ts";
import { bold, styledOutcome } from "../output/style.ts";
import { shownTimes, timesText, type ShownTimes } from "./text.ts";

/** How many of the latest runs of a schedule are shown, of how many that may be at another service or account. */
const [runsShown, runsLookedThrough] = [3, 50];

/** A schedule of the file or of Temporal. */
type Listed = {
  readonly name: string;
  /**
   * `on` and `paused` are as in the file; `differs` is not; `not_applied` is in the file alone. In Temporal alone are
   * `left`, which this project made, and `foreign`.
   */
  readonly state: "differs" | "foreign" | "left" | "not_applied" | "on" | "paused";
  readonly paused: boolean;
  /** Why it is paused, or was. */
  readonly note: string;
  /** What the file wants; null if it wants nothing. */
  readonly times: ShownTimes | null;
  /** Newest first, whatever began them. */
  readonly last_runs: readonly {
    readonly run_id: string;
    readonly kind: Run["kind"];
    readonly outcome: string;
    readonly started_at: string;
    readonly scheduled_for: string | null;
  }[];
};

async function lastRuns(
  { state, target }: Pick<ListFrom, "state" | "target">,
  sync: string,
): Promise<Listed["last_runs"]> {
  const runs = await state.runs({ sync, limit: runsLookedThrough });
  const here = runs.filter((run) => run.target === target).slice(0, runsShown);
  return here.map((run) => ({
    run_id: run.runId,
    kind: run.kind,
    outcome: run.outcome ?? (openHold(run) === undefined ? "running" : "held"),
    started_at: run.startedAt,
    scheduled_for: run.nominalAt,
  }));
}

type ListFrom = {
  readonly client: Client;
  readonly state: Pick<StateStore, "runs">;
  readonly owner: Owner;
  /** The service and account whose runs are shown. */
  readonly target: string;
};

function stateOf(
  found: ScheduleDescription | undefined,
  wanted: Wanted | undefined,
  owner: Owner,
): Listed["state"] {
  if (wanted === undefined) {
    return found !== undefined && storeOf(found) !== owner.storeId ? "foreign" : "left";
  }
  if (found === undefined) return "not_applied";
  if (differencesOf(found, wanted, owner).length > 0) return "differs";
  return found.state.paused ? "paused" : "on";
}

/** Every schedule of the file, and those in Temporal that the file does not have. */
export async function listedSchedules(
  { client, owner, ...runs }: ListFrom,
  wanted: readonly Wanted[],
  now: Date,
): Promise<readonly Listed[]> {
  const byName = new Map(wanted.map((one) => [one.name, one]));
  const applied = await scheduledNames(client, owner.taskQueue);
  const listed: Listed[] = [];
  for (const name of new Set([...byName.keys(), ...applied])) {
    const found = await describeSchedule(client, scheduleId(owner.taskQueue, name));
    const one = byName.get(name);
    listed.push({
      name,
      state: stateOf(found, one, owner),
      paused: found?.state.paused === true,
      note: found?.state.note ?? "",
      times: one === undefined ? null : shownTimes(one.schedule, now),
      last_runs: await lastRuns(runs, name),
    });
  }
  return listed;
}

const states = {
  on: "on",
  paused: "paused",
  differs: "not as in sluice.yaml: `sluice schedule apply`",
  not_applied: "not in Temporal yet: `sluice schedule apply`",
  left: "not in sluice.yaml any more",
  foreign: "another project made it",
} as const;

/** Whether a person began a run: events that were pushed, and records in doubt, are sent without one. */
function isByHand({ kind, scheduled_for: at }: Listed["last_runs"][number]): boolean {
  return at === null && kind !== "resend" && kind !== "inbox";
}

/** The schedules for a terminal, one block each. */
export function listText(listed: readonly Listed[]): string {
  if (listed.length === 0) return "nothing is scheduled: give a sync or pull a `schedule:`";
  const blocks = listed.map(({ name, state, paused, note, times, last_runs: runs }) => {
    const isAlsoPaused = paused && state !== "paused" ? ", paused" : "";
    const why = paused && note !== "" ? `: ${plainText(note)}` : "";
    return [
      `${bold(name)}  ${states[state]}${isAlsoPaused}${why}`,
      ...(times === null ? [] : [`    when      ${times.words}`, ...timesText(times)]),
      ...runs.map(
        (run) =>
          `    run       ${run.run_id}  ${styledOutcome(outcomeText(run.outcome))}` +
          (isByHand(run) ? ", by hand" : ""),
      ),
    ].join("\n");
  });
  return blocks.join("\n");
}
