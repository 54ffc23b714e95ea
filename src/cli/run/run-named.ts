import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";

/** The run of that id, or the newest of the workflow of that id; undefined when the store has neither. */
export async function runNamed(
  state: Pick<StateStore, "run" | "runs">,
  name: string,
): Promise<Run | undefined> {
  return (await state.run(name)) ?? (await state.runs({ workflowId: name, limit: 1 }))[0];
}
