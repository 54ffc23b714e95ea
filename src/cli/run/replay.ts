import { sourcesOf } from "../../../connectors/registry.ts";
import { assertReplayable } from "../../../connectors/replayable.ts";
import { connectorOf } from "../../../connectors/source.ts";
import { targetOf } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { reportReasonsMax } from "../../limits.ts";
import type { OpenRejectsOf } from "../../state/contract/rejects/open-rejects.ts";
import type { ReplayCounts, ReplayOf } from "../../state/contract/rejects/replays.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { counted } from "../../text/quantities.ts";
import { syncNamed } from "../named.ts";
import { configOf, withState } from "../output/context.ts";
import type { Context, GlobalOptions } from "../output/context.ts";
import { transferNow } from "./run-now.ts";
import { assertKnownName, runOfRejects } from "./runs.ts";

/** The options of `rejects replay`. */
export type ReplayOptions = GlobalOptions & {
  readonly run?: string | undefined;
  readonly sync?: string;
  readonly code?: string;
};

/** How many of the newest runs are searched for one of a sync when none is named. */
const runsLookedThrough = 50;

/** The run that is named; otherwise the newest with open rejects; otherwise the newest. */
async function runMeant(
  state: StateStore,
  of: OpenRejectsOf & { readonly run: string | undefined },
): Promise<Run> {
  if (of.run !== undefined) return await runOfRejects(state, of);
  const [withOpen] = await state.runsWithOpenRejects({ ...of, limit: 1 });
  if (withOpen !== undefined) return await runOfRejects(state, { ...of, run: withOpen.runId });
  const newest = of.sync === undefined ? await state.runs({ limit: runsLookedThrough }) : [];
  return newest.find(({ kind }) => kind !== "pull") ?? (await runOfRejects(state, of));
}

/** The run whose rejects are replayed. @throws {ConfigError} there is none, or it is a pull's. */
async function runToReplay(
  state: StateStore,
  of: OpenRejectsOf & { readonly run: string | undefined },
): Promise<Run> {
  const found = await runMeant(state, of);
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

/**
 * Says how many rejects in other runs of the sync no replay has taken: a mistake in a mapping leaves rejects in many
 * runs.
 */
async function sayWhatIsLeft(
  state: StateStore,
  of: OpenRejectsOf & Pick<Run, "sync">,
  context: Context,
): Promise<void> {
  // The report of a replay has listed what it refused again.
  const left = (await state.runsWithOpenRejects(of)).filter(({ kind }) => kind !== "replay");
  if (left.length === 0) return;
  const rejects = counted(
    left.reduce((sum, { open }) => sum + open, 0),
    "reject",
  );
  const text = `${counted(left.length, "run")} of ${of.sync} with ${rejects} to replay`;
  context.say(`${text} → \`sluice rejects replay --sync ${of.sync}\` continues with the newest`);
}

/** `sluice rejects replay`: reads the rejected rows of a run again and sends what today's mapping makes of them. */
export async function replayRejects(context: Context, options: ReplayOptions): Promise<void> {
  const { code, run: _run, sync: _sync, ...globals } = options;
  const config = await configOf(context, options);
  const target = targetOf(config.api);
  const { run, counts } = await withState(config, async (state) => {
    await assertKnownName(state, config, options.sync);
    const found = await runToReplay(state, { target, sync: options.sync, run: options.run, code });
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
  assertReplayable({ sync, source, target }, run);
  const replay = { run: run.runId, code };
  await transferNow(context, {
    config,
    syncs: [sync],
    options: { ...globals, wait: true, replay },
  });
  const left = { target, sync: run.sync, code };
  await withState(config, async (state) => await sayWhatIsLeft(state, left, context));
}
