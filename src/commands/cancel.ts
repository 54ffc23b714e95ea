import { WorkflowNotFoundError } from "@temporalio/client";

import { ConfigError } from "../errors.ts";
import { connectTemporal } from "../local/connect.ts";
import type { Run } from "../state/runs.ts";
import type { StateStore } from "../state/state-store.ts";
import { configOf, withGlobals, withState, type GlobalOptions, type Register } from "./context.ts";
import { useTemporal } from "./services.ts";

/** Newest runs among which the one of a workflow is looked for. */
const runsLookedThrough = 1_000;

/** The run of that id or workflow. @throws {ConfigError} there is none, or it has ended. */
async function openRun(state: StateStore, name: string): Promise<Run> {
  const newest = await state.runs({ limit: runsLookedThrough });
  const run = (await state.run(name)) ?? newest.find(({ workflowId }) => workflowId === name);
  const hint = "look at `sluice runs list`";
  if (run === undefined) throw new ConfigError(`there is no run "${name}"`, { hint });
  if (run.outcome !== null)
    throw new ConfigError(`run ${run.runId} has ended: ${run.outcome}`, { hint });
  return run;
}

/** `sluice cancel <run>`. */
export const registerCancel: Register = (program, context) => {
  withGlobals(program.command("cancel <run>"))
    .description("stop a run cleanly; what was accepted stays committed")
    .action(async (name: string, options: GlobalOptions) => {
      const config = await configOf(context, options);
      const run = await withState(config, async (state) => await openRun(state, name));
      const { workflowId } = run;
      const temporal = await useTemporal(config, context);
      try {
        const { client, close } = await connectTemporal(temporal.address);
        try {
          await client.workflow.getHandle(workflowId).cancel();
          context.print(
            options.json
              ? JSON.stringify({ workflow_id: workflowId })
              : `asked ${workflowId} to stop`,
          );
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
          throw new ConfigError(`no run "${name}" is going on`, {
            hint: "look at `sluice runs list`",
          });
        } finally {
          await close();
        }
      } finally {
        await temporal.release();
      }
    });
};
