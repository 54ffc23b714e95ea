import { ConfigError } from "../../errors.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";

/** The hint for a name that no run has. */
export const runsHint = "look at `sluice runs list`";

/** The error for a name that no run has. */
export function noRun(name: string): ConfigError {
  return new ConfigError(`there is no run "${name}"`, { hint: runsHint });
}

/** The run of that id, or the newest of the workflow of that id; undefined when the store has neither. */
export async function runNamed(
  state: Pick<StateStore, "run" | "runs">,
  name: string,
): Promise<Run | undefined> {
  return (await state.run(name)) ?? (await state.runs({ workflowId: name, limit: 1 }))[0];
}
