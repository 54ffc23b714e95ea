import { actionsOf, type Action } from "./actions.ts";
import { kinds, type Kind } from "./kinds.ts";
import { phases, type Phase } from "./trial.ts";

/** An action on a run of a kind in a phase. */
export type Cell = { readonly kind: Kind; readonly phase: Phase; readonly action: Action };

/** Whether a run of this kind has such a phase. */
function hasPhase(
  { continues, waits = false, waitsForAnswers = false }: Kind,
  phase: Phase,
): boolean {
  if (waitsForAnswers && phase === "sending") return false;
  if (waits) return phase === "before" || phase === "sending";
  return phase !== "between" || continues;
}

/** Whether a run in a phase has come far enough for the action. */
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

/** The sample of cells, by the title of their group, that is tried unless all are requested. */
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
