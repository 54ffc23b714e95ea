import { lastCompleted } from "../../src/guardrails/last-completed.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * Warns of a run that read its source from the beginning and found no rows, where the previous run found some: a failed
 * export looks just like an empty one.
 */
export async function warnOfEmptySource(
  { state }: Pick<Dependencies, "state">,
  run: Run,
): Promise<void> {
  if (run.fromPosition !== null || run.kind !== "sync") return;
  const last = await lastCompleted({ state }, run);
  if (last === undefined) return;
  const { read } = await state.tally({ runId: last.runId, staged: false });
  if (read === 0) return;
  const warning =
    `the source held no rows, where run ${last.runId} read ${read}: check that it is whole, and ` +
    "see min_rows";
  await state.addWarnings({ runId: run.runId, warnings: [warning] });
}
