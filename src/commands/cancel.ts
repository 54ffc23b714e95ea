import { WorkflowNotFoundError } from "@temporalio/client";

import { ConfigError } from "../errors.ts";
import { connectTemporal } from "../local/connect.ts";
import { configOf, withGlobals, withState, type GlobalOptions, type Register } from "./context.ts";
import { useTemporal } from "./services.ts";

/** `sluice cancel <run>`. */
export const registerCancel: Register = (program, context) => {
  withGlobals(program.command("cancel <run>"))
    .description("stop a run cleanly; what was accepted stays committed")
    .action(async (name: string, options: GlobalOptions) => {
      const config = await configOf(context, options);
      const run = await withState(config, async (state) => await state.run(name));
      // A workflow's id is taken too: it is what `run` and the Web UI show.
      const workflowId = run?.workflowId ?? name;
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
