import type { PullConfig } from "../config/schema/pull.ts";
import type { ScheduleConfig } from "../config/schema/schedule.ts";
import type { VerifyConfig } from "../config/schema/verify.ts";
import { verifyName } from "./ids.ts";

/** A scheduled sync or pull, and the workflow that runs it; or a sync that is verified. */
export type Wanted = {
  /** The name of the sync or pull, or the name that `verifyName` makes. */
  readonly name: string;
  readonly schedule: ScheduleConfig;
  readonly workflow: "sync" | "verify" | PullWorkflow;
  /** The workflow's one argument. */
  readonly input: { readonly sync: string } | { readonly pull: string };
};

/** The workflow that runs a pull. */
export type PullWorkflow = "searchPull" | "jobPostingsPull";

/** Which workflow runs a pull: job postings are read domain by domain. */
export function pullWorkflow({ of }: Pick<PullConfig, "of">): PullWorkflow {
  return of === "job_postings" ? "jobPostingsPull" : "searchPull";
}

type Scheduled = Pick<PullConfig, "name" | "schedule">;

/** Everything that a configuration schedules. */
export function wantedSchedules({
  syncs,
  pulls,
}: {
  readonly syncs: ReadonlyMap<
    string,
    Scheduled & { readonly verify?: Pick<VerifyConfig, "schedule"> | undefined }
  >;
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
  const verified = [...syncs.values()].flatMap(({ name, verify }): readonly Wanted[] => {
    if (verify === undefined) return [];
    const { schedule } = verify;
    return [{ name: verifyName(name), schedule, workflow: "verify", input: { sync: name } }];
  });
  return [...ofSyncs, ...ofPulls, ...verified];
}
