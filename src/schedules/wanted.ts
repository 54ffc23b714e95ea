import type { PullConfig } from "../config/schema/pull.ts";
import type { ScheduleConfig } from "../config/schema/schedule.ts";

/** A scheduled sync or pull, and the workflow that runs it. */
export type Wanted = {
  readonly name: string;
  readonly schedule: ScheduleConfig;
  readonly workflow: "sync" | PullWorkflow;
  /** The workflow's one argument. */
  readonly input: { readonly sync: string } | { readonly pull: string };
};

/** The workflow that runs a pull. */
export type PullWorkflow = "searchPull" | "jobPostingsPull";

/** Which workflow runs a pull: job postings are asked for one domain after the other. */
export function pullWorkflow({ of }: Pick<PullConfig, "of">): PullWorkflow {
  return of === "job_postings" ? "jobPostingsPull" : "searchPull";
}

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
  const ofPulls = [...pulls.values()].flatMap((pull): readonly Wanted[] => {
    const { name, schedule } = pull;
    if (schedule === undefined) return [];
    return [{ name, schedule, workflow: pullWorkflow(pull), input: { pull: name } }];
  });
  return [...ofSyncs, ...ofPulls];
}
