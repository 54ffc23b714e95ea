import { assertReplayable } from "../../activities/replay-place.ts";
import { connectorOf } from "../../activities/source.ts";
import { sourcesOf } from "../../connectors/registry.ts";
import { targetOf } from "../config/config.ts";
import { ConfigError } from "../errors.ts";
import { reportReasonsMax } from "../limits.ts";
import type { ReplayCounts, ReplayOf } from "../state/replays.ts";
import type { Run } from "../state/runs.ts";
import type { StateStore } from "../state/state-store.ts";
import { configOf, withState } from "./context.ts";
import type { Context, GlobalOptions } from "./context.ts";
import { syncNamed } from "./named.ts";
import { counted } from "./report-text.ts";
import { transferNow } from "./run.ts";
import { runOfRejects } from "./runs.ts";

/** The options of `rejects replay`. */
export type ReplayOptions = GlobalOptions & {
  readonly run?: string;
  readonly sync?: string;
  readonly reason?: string;
};

/** Newest runs among which the one of a sync is looked for when none is named. */
const runsLookedThrough = 50;

/** The run whose rejects are replayed. @throws {ConfigError} there is none, or it is of a pull. */
async function runToReplay(
  state: StateStore,
  { run, sync, reason: code }: Pick<ReplayOptions, "reason" | "run" | "sync">,
): Promise<Run> {
  const newest =
    run === undefined && sync === undefined ? await state.runs({ limit: runsLookedThrough }) : [];
  const ofSync = newest.find(({ kind }) => kind !== "pull");
  const found =
    ofSync === undefined || ofSync.kind === "inbox"
      ? await runOfRejects(state, { run, sync: sync ?? ofSync?.sync, code })
      : ofSync;
  if (found.kind !== "pull") return found;
  throw new ConfigError(`run ${found.runId} is of a pull, whose rejects cannot be replayed`, {
    hint: `\`sluice pull ${found.sync} --full\` asks the service for its results again`,
  });
}

async function nothingText(
  state: StateStore,
  { run: runId, code }: ReplayOf,
  { replayed, superseded, uncommitted }: ReplayCounts,
): Promise<string> {
  const reasons =
    code === undefined ? [] : await state.rejectReasons({ runId, limit: reportReasonsMax });
  const others = reasons.map((reason) => reason.code).filter((other) => other !== code);
  const why = [
    ...(replayed > 0 ? [`${replayed} were replayed`] : []),
    ...(superseded > 0 ? [`${superseded} are superseded`] : []),
    ...(uncommitted > 0 ? [`${uncommitted} come again with the next run`] : []),
  ];
  if (why.length === 0 && others.length > 0) why.push(`there are of ${others.join(", ")}`);
  const which = code === undefined ? "rejects" : `rejects of the code "${code}"`;
  return `run ${runId} has no ${which} to replay${why.length === 0 ? "" : `: ${why.join(", ")}`}`;
}

/** Says how many drains of the sync have rejects that no replay has taken: a mistake in a mapping leaves them in many. */
async function sayWhatIsLeft(
  state: StateStore,
  { of: { sync, kind }, code }: { readonly of: Run; readonly code: string | undefined },
  context: Context,
): Promise<void> {
  if (kind !== "inbox") return;
  const left = await state.drainsToReplay({ sync, code, limit: runsLookedThrough });
  if (left.length === 0) return;
  const many = left.length === runsLookedThrough ? " or more" : "";
  const text = `${counted(left.length, "drain")}${many} of ${sync} with rejects to replay`;
  context.say(`${text} → \`sluice rejects replay --sync ${sync}\` goes on with the newest`);
}

/** `sluice rejects replay`: reads the rejected rows of a run again and sends what today's mapping makes of them. */
export async function replayRejects(context: Context, options: ReplayOptions): Promise<void> {
  const { reason: code, run: _run, sync: _sync, ...globals } = options;
  const config = await configOf(context, options);
  const { run, counts } = await withState(config, async (state) => {
    const found = await runToReplay(state, options);
    const of = { run: found.runId, code };
    const each = await state.replayCounts(of);
    if (each.open === 0) {
      if (options.json) context.print(JSON.stringify({ run: of.run, ...each }));
      else context.say(await nothingText(state, of, each));
    }
    return { run: found, counts: each };
  });
  if (counts.open === 0) return;
  const sync = syncNamed(config, run.sync);
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  assertReplayable({ sync, source, target: targetOf(config.api) }, run);
  const replay = { run: run.runId, code };
  await transferNow(context, { config, sync, options: { ...globals, wait: true, replay } });
  await withState(config, async (state) => await sayWhatIsLeft(state, { of: run, code }, context));
}
