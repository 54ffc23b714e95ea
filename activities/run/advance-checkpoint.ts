import { isDeepStrictEqual } from "node:util";

import type { Source } from "../../connectors/contract/connector.ts";
import type { BackfillRequest } from "../../src/backfill/input/schema.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { ConfigError } from "../../src/errors.ts";
import { firstChunkOf } from "../../src/lane-of.ts";
import type { Checkpoint } from "../../src/state/contract/runs/checkpoints.ts";
import { attempt } from "../attempt.ts";
import { isoNow, runOf, type Dependencies } from "../dependencies.ts";
import type { RunRef } from "../inputs.ts";

/**
 * Checks that the nightly run may continue where a backfill ends. Nothing may be passed over, which is certain only for
 * a backfill that begins with the first row of a sync that has no checkpoint yet.
 * @throws {ConfigError} it may not.
 */
export function assertMayAdvance(
  { advanceCheckpoint, from }: BackfillRequest,
  at: { readonly sync: SyncConfig; readonly source: Source; readonly checkpoint: Checkpoint },
): void {
  if (!advanceCheckpoint) return;
  const { sync, source, checkpoint } = at;
  const field = "advance_checkpoint";
  const hint = "leave it out: the nightly run continues from its own checkpoint";
  if (source.restart?.(sync.connectorConfig) === "each-run") {
    const why = `sync ${sync.name} reads its source anew in each run, and has no checkpoint to move`;
    throw new ConfigError(why, { field, hint });
  }
  if (checkpoint.position !== null) {
    throw new ConfigError(`sync ${sync.name} has a checkpoint already`, { field, hint });
  }
  if (from !== undefined) {
    const why = "rows before `from` would never be sent";
    throw new ConfigError(why, { field, hint: `leave out "from", or ${hint}` });
  }
}

/**
 * Where the last chunk of the last lane ended, which is where a nightly run would have left the checkpoint. The end of
 * the span may be ahead of rows to come, if the source's clock or zone is wrong. Null if nothing was read.
 */
async function endOf(
  { state }: Pick<Dependencies, "state">,
  { runId, lanes }: { readonly runId: string; readonly lanes: number },
): Promise<unknown> {
  let position: unknown = null;
  for (let chunk = firstChunkOf(Math.max(1, lanes)); ; chunk += 1) {
    const send = await state.committedStaging({ runId, chunk });
    if (send === undefined) return position;
    position = send.to;
  }
}

/** Lets the nightly run of a sync that had no checkpoint continue where a backfill ended. Twice is once. */
export function createAdvanceCheckpoint(deps: Dependencies): (input: RunRef) => Promise<object> {
  const { state } = deps;
  return async (ref) =>
    await attempt(async () => {
      const { runId, target, sync } = await runOf(deps, ref);
      const spans = await state.laneSpans(runId);
      const hasEnd = (spans.at(-1)?.to ?? null) !== null;
      const position = hasEnd ? await endOf(deps, { runId, lanes: spans.length }) : null;
      const before = await state.checkpoint({ target, sync });
      if (position !== null && isDeepStrictEqual(before.position, position)) return {};
      if (position === null || before.position !== null) {
        const nowhere = hasEnd ? "nothing was read" : "the span has no end";
        const why = before.position === null ? nowhere : "a run has moved it meanwhile";
        await state.addWarnings({ runId, warnings: [`the checkpoint was not moved: ${why}`] });
        return {};
      }
      const reason = `backfill ${runId}`;
      const moving = { target, sync, version: before.version, position, reason, runId };
      await state.setCheckpoint({ ...moving, at: isoNow(deps) });
      return {};
    });
}
