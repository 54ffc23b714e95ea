import { actionsOf, type Action } from "./actions.ts";
import { kinds, type Kind } from "./kinds.ts";
import { phases, type Phase } from "./trial.ts";

/** Something done to a run of a kind in a phase. */
export type Cell = { readonly kind: Kind; readonly phase: Phase; readonly action: Action };

/** Whether there is such a phase of such a run. */
function hasPhase(
  { continues, waits = false, waitsForAnswers = false }: Kind,
  phase: Phase,
): boolean {
  if (waitsForAnswers && phase === "sending") return false;
  if (waits) return phase === "before" || phase === "sending";
  return phase !== "between" || continues;
}

/** Whether a run has come so far in a phase that there is something to do it to. */
function isThere({ kind, phase, action }: Cell): boolean {
  if (action.isOfBefore === true) return phase === "between";
  if (action.step === undefined || phase === "ended") return true;
  const [at, begins] = [action.step, kind.begins].map((step) => kind.steps.indexOf(step));
  if (phase === "sending") return action.step !== "closeRun";
  return phase !== "between" && (at ?? 0) < (begins ?? 0);
}

/** Cells of one test. */
export type Group = { readonly title: string; readonly cells: readonly Cell[] };

/** All cells of the matrix, group by group: a kind and a phase each. */
export const groups: readonly Group[] = kinds.flatMap((kind) =>
  phases
    .filter((phase) => hasPhase(kind, phase))
    .map((phase) => ({
      title: `${kind.name}, ${phase}`,
      cells: actionsOf(kind)
        .map((action) => ({ kind, phase, action }))
        .filter(isThere),
    })),
);

/** What is tried of it unless all of it is asked for, by the title of the group. */
const sample: Readonly<Record<string, readonly string[]>> = {
  "sync, sending": ["Cancel", "Terminate", "Reset to the first task"],
  "sync, between": [
    "Reset the execution before, to its first task",
    "Start Workflow Like This One, another id",
  ],
  "sync, ended": ["Reset to the first task", "Reset to where stageChunk is asked for"],
  "backfill, sending": ["Reset to the first task"],
  "backfill that waits, before": ["Reset to the first task", "Update discard"],
  "pull, sending": ["Terminate"],
  "drain, sending": ["Reset to where openRun is asked for"],
  "replay, staging": ["Reset to the first task"],
};

/** A few of the groups, with a few of their cells. */
export const sampled: readonly Group[] = groups.flatMap(({ title, cells }) => {
  const names = sample[title] ?? [];
  const some = cells.filter(({ action }) => names.includes(action.name));
  return some.length === 0 ? [] : [{ title, cells: some }];
});
