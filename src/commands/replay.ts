import { assertReplayable } from "../../activities/replay-place.ts";
import { connectorOf } from "../../activities/source.ts";
import { sources } from "../../connectors/registry.ts";
import { targetOf } from "../config/config.ts";
import type { ReplayCounts } from "../state/replays.ts";
import { configOf, withState } from "./context.ts";
import type { Context, GlobalOptions } from "./context.ts";
import { syncNamed, transferNow } from "./run.ts";
import { runNamed } from "./runs.ts";

/** The options of `rejects replay`. */
export type ReplayOptions = GlobalOptions & {
  readonly run?: string;
  readonly sync?: string;
  readonly reason?: string;
};

function nothingText(runId: string, counts: ReplayCounts): string {
  const { replayed, superseded, uncommitted } = counts;
  const why = [
    ...(replayed > 0 ? [`${replayed} were replayed`] : []),
    ...(superseded > 0 ? [`${superseded} are superseded`] : []),
    ...(uncommitted > 0 ? [`${uncommitted} come again with the next run`] : []),
  ];
  return `run ${runId} has no rejects to replay${why.length === 0 ? "" : `: ${why.join(", ")}`}`;
}

/** `sluice rejects replay`: reads the rejected rows of a run again and sends what today's mapping makes of them. */
export async function replayRejects(context: Context, options: ReplayOptions): Promise<void> {
  const { reason: code, run: runId, sync: syncName, ...globals } = options;
  const config = await configOf(context, options);
  const { run, counts } = await withState(config, async (state) => {
    const found = await runNamed(state, { run: runId, sync: syncName });
    return { run: found, counts: await state.replayCounts({ run: found.runId, code }) };
  });
  const sync = syncNamed(config, run.sync);
  const source = connectorOf({ sources }, sync.connector);
  if (counts.open === 0) {
    if (options.json) context.print(JSON.stringify({ run: run.runId, ...counts }));
    else context.say(nothingText(run.runId, counts));
    return;
  }
  assertReplayable({ sync, source, target: targetOf(config.api) }, run);
  const replay = { run: run.runId, code };
  await transferNow(context, { config, sync, options: { ...globals, wait: true, replay } });
}
