import { type Broken, brokenGuardrails, weighedOf } from "../../guardrails/guardrails.ts";
import { readBefore } from "../../guardrails/last-completed.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { PlanSource, ReadPlan } from "./read-plan.ts";

/**
 * The guardrails that hold the run which a plan has read in full. Which keys vanished is known only to a run, so
 * `vanished_above` is not among them.
 */
export async function plannedHold(
  state: StateStore | undefined,
  { sync: { name: sync, holdIf }, target }: Pick<PlanSource, "sync" | "target">,
  { counts, changes }: ReadPlan,
): Promise<readonly Broken[]> {
  if (holdIf === undefined) return [];
  const run = { runId: "plan", kind: "sync", sync, target } as const;
  const checkpoint = await state?.checkpoint({ target, sync });
  const before = {
    gone: undefined,
    isFirst: (checkpoint?.version ?? 0) === 0,
    readBefore: state === undefined ? undefined : await readBefore({ state }, run),
  };
  return brokenGuardrails(holdIf, weighedOf({ ...counts, changes }, before));
}
