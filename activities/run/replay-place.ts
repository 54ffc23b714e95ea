import type { Source } from "../../connectors/contract/connector.ts";
import { assertReplayable } from "../../connectors/replayable.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { RejectLimit } from "../../src/pipeline/rejects.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";
import { placeAtStart } from "./set-run-range.ts";

/** Lists the rejects that a replay reads again, and starts it at the first. Call it once the send lock is held. */
export async function placeReplay(
  deps: Pick<Dependencies, "state" | "target">,
  at: { readonly run: Run; readonly sync: SyncConfig; readonly source: Source },
): Promise<void> {
  const { state, target } = deps;
  const { run, sync, source } = at;
  const { runId } = run;
  const { replay } = run.request;
  const of = replay === undefined ? undefined : await state.run(replay.run);
  assertReplayable({ sync, source, target }, of);
  if (replay !== undefined) await state.listReplay({ runId, ...replay });
  await placeAtStart(deps, { runId, sync, source });
}

/**
 * How many rejects stop a run. None stop a replay, whose rows were refused before, a resend, whose records were all
 * accepted before, or a drain, whose events others post.
 */
export function rejectLimitOf(
  { kind }: Pick<Run, "kind">,
  { rejectLimit }: Pick<SyncConfig, "rejectLimit">,
): RejectLimit {
  return kind === "replay" || kind === "resend" || kind === "inbox"
    ? { rate: 1, rows: 0 }
    : rejectLimit;
}
