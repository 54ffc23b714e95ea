import { ConfigError } from "../../errors.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { noRun, runNamed, runsHint } from "../run/run-named.ts";

/**
 * The backfill of that id, or the newest of that workflow. @throws {ConfigError} there is none, or the run is
 * not a backfill.
 */
export async function backfillNamed(
  state: Pick<StateStore, "run" | "runs">,
  name: string,
): Promise<Run> {
  const run = await runNamed(state, name);
  if (run === undefined) throw noRun(name);
  if (run.kind === "backfill") return run;
  throw new ConfigError(`run ${run.runId} is not a backfill but a ${run.kind} of ${run.sync}`, {
    hint: `\`sluice runs show ${run.runId}\` shows it, \`sluice cancel ${run.runId}\` ends one that continues`,
  });
}

/** The same for a backfill that continues. @throws {ConfigError} also when it has ended. */
export async function openBackfillNamed(
  state: Pick<StateStore, "run" | "runs">,
  name: string,
): Promise<Run> {
  const run = await backfillNamed(state, name);
  if (run.outcome === null) return run;
  throw new ConfigError(`backfill ${run.runId} has ended: ${outcomeText(run.outcome)}`, {
    hint: runsHint,
  });
}
