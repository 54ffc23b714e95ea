import type { PullConfig } from "../config/pull.ts";
import type { ScheduleConfig } from "../config/schedule.ts";

/** A scheduled sync or pull, and the workflow that runs it. */
export type Wanted = {
  readonly name: string;
  readonly schedule: ScheduleConfig;
  readonly workflow: "sync" | "searchPull" | "jobPostingsPull";
  /** The workflow's one argument. */
  readonly input: { readonly sync: string } | { readonly pull: string };
};

type Scheduled = Pick<PullConfig, "name" | "schedule">;

/** Everything that a configuration schedules. */
export function wantedSchedules({
  syncs,
  pulls,
}: {
  readonly syncs: ReadonlyMap<string, Scheduled>;
  readonly pulls: ReadonlyMap<string, Scheduled & Pick<PullConfig, "of">>;
}): readonly Wanted[] {
  const ofSyncs = [...syncs.values()].flatMap(({ name, schedule }): readonly Wanted[] =>
    schedule === undefined ? [] : [{ name, schedule, workflow: "sync", input: { sync: name } }],
  );
  const ofPulls = [...pulls.values()].flatMap(({ name, of, schedule }): readonly Wanted[] => {
    if (schedule === undefined) return [];
    const workflow = of === "job_postings" ? "jobPostingsPull" : "searchPull";
    return [{ name, schedule, workflow, input: { pull: name } }];
  });
  return [...ofSyncs, ...ofPulls];
}
