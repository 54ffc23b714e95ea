import type { Config } from "../../config/config.ts";
import { ConfigError, TemporalUnreachableError } from "../../errors.ts";
import { refuseOtherTemporal } from "../../hosts/store-guards.ts";
import { isWorkflowOpen } from "../../local/connect.ts";
import { queueNow, storesOn, temporalIdOf } from "../../local/presence.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import {
  configOf,
  withGlobals,
  withState,
  type Context,
  type GlobalOptions,
  type Register,
} from "../output/context.ts";
import { reachTemporal } from "../running/reach-temporal.ts";
import { tellRun } from "../running/tell-run.ts";
import { openBackfillNamed } from "./named-backfill.ts";

/** A backfill that continues, and the store that its workers work on. */
type Open = { readonly run: Run; readonly state: StateStore };

function notOpen(runId: string, sync: string): ConfigError {
  return new ConfigError(`backfill ${runId} is no longer running: its workflow has ended`, {
    hint: `\`sluice backfill ${sync}\` plans a new one`,
  });
}

/**
 * Reaches the Temporal and the worker that continue with a backfill. Starts neither, because a backfill that does not
 * run is paused already.
 */
async function change(
  name: "pause" | "resume",
  { run, state }: Open,
  { context, config }: { readonly context: Context; readonly config: Config },
): Promise<void> {
  const goesOn = `\`sluice backfill ${run.sync}\` continues with it, as \`sluice dev\` does`;
  const temporal = await reachTemporal(config, context);
  if (temporal === undefined) {
    throw new TemporalUnreachableError(`backfill ${run.runId} is paused: no Temporal runs`, {
      hint: goesOn,
    });
  }
  try {
    const { taskQueue } = config.temporal;
    const { address, client } = temporal;
    await refuseOtherTemporal(config, { state, address, temporalId: await temporalIdOf(client) });
    if (!(await isWorkflowOpen(temporal.client, run))) throw notOpen(run.runId, run.sync);
    if (!(await storesOn(temporal.client, queueNow(config, state))).includes(state.storeId)) {
      throw new TemporalUnreachableError(
        `backfill ${run.runId} is paused: no worker polls the task queue ${taskQueue}`,
        { hint: goesOn },
      );
    }
    const what = `backfill ${run.runId} of ${run.sync}`;
    await tellRun(temporal.client, run, { name, what, ended: notOpen(run.runId, run.sync) });
  } finally {
    await temporal.close();
  }
}

const told = {
  pause: { paused: true, text: "each lane pauses after its next chunk" },
  resume: { paused: false, text: "its lanes continue" },
} as const;

function register(name: "pause" | "resume", description: string): Register {
  return (program, context) => {
    withGlobals(program.command(`${name} <run>`))
      .description(description)
      .action(async (named: string, options: GlobalOptions) => {
        const config = await configOf(context, options);
        const { runId, workflowId } = await withState(config, async (state) => {
          const run = await openBackfillNamed(state, named);
          await change(name, { run, state }, { context, config });
          return run;
        });
        const { paused, text } = told[name];
        context.print(
          options.json
            ? JSON.stringify({ run_id: runId, workflow_id: workflowId, paused })
            : `${name}d ${runId}: ${text}`,
        );
      });
  };
}

/** `sluice pause <run>`. */
export const registerPause: Register = register(
  "pause",
  "pause a backfill after its next chunks; accepted records stay committed",
);

/** `sluice resume <run>`. */
export const registerResume: Register = register(
  "resume",
  "let a backfill continue that was paused, or that is out of credits",
);
