import { sourcesOf } from "../../../connectors/registry.ts";
import { readRequestOf, checkColumns, connectorOf } from "../../../connectors/source.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import type { modes, RunRequest } from "../../state/contract/runs/runs.ts";
import { sourceMsMax } from "../limits.ts";
import { syncsNamed } from "../named.ts";
import { configOf } from "../output/context.ts";
import type { Context } from "../output/context.ts";
import { keepWorst } from "../output/exit-code.ts";
import { oneByOne } from "../output/one-by-one.ts";
import { driveRun, type Drive, type DriveOptions } from "../running/drive.ts";
import type { ReadShare } from "../running/follow.ts";
import type { CliSession } from "../running/session.ts";

/** The options of a run beyond the configuration, and how it is shown. */
export type RunOptions = DriveOptions & {
  readonly mode?: (typeof modes)[number];
  readonly full?: boolean;
  readonly limit?: number;
  /** Reads these rejects again instead of the source. */
  readonly replay?: NonNullable<RunRequest["replay"]>;
};

/** The share that a run has read, from what the source says is left. */
function readShare(session: CliSession, sync: SyncConfig): ReadShare {
  const source = sourcesOf(session.config).get(sync.connector);
  const measure = async (from: unknown): Promise<number | undefined> => {
    const request = readRequestOf(sync, AbortSignal.timeout(5_000));
    const { bytes, rows } =
      (await source?.measure?.({ ...request, from: from ?? undefined })) ?? {};
    return rows ?? bytes;
  };
  let total: Promise<number | undefined> | undefined;
  let last: { readonly to: string; readonly left: Promise<number | undefined> } | undefined;
  return async ({ run_id: runId, counts }) => {
    if (source?.measure === undefined || counts.read === 0) return undefined;
    try {
      const run = await session.state.run(runId);
      total ??= measure(run?.fromPosition);
      const whole = await total;
      const open = await session.state.openStagings({ runId });
      const chunk = counts.staged_chunks;
      const staged = open.at(-1) ?? (await session.state.committedStaging({ runId, chunk }));
      // For a staging that has not reported its place yet, its beginning is known.
      const at = staged?.to ?? staged?.from;
      const to = JSON.stringify(at ?? null);
      // A database counts its rows for each answer, so a place is measured once.
      if (last?.to !== to) last = { to, left: measure(at) };
      const left = await last.left;
      if (whole === undefined || left === undefined || whole === 0) return undefined;
      return Math.min(1, Math.max(0, 1 - left / whole));
    } catch {
      return undefined; // following continues even if the source cannot be measured now
    }
  };
}

/** Whether a run was asked to replay the same rejects. */
async function replaysSame(
  { state }: CliSession,
  runId: string,
  { mode, full, limit, replay }: RunOptions,
): Promise<boolean> {
  const isReplay = [mode, full, limit].every((option) => option === undefined);
  const { request } = (await state.run(runId)) ?? {};
  return isReplay && JSON.stringify(replay) === JSON.stringify(request?.replay);
}

function driveOf(config: Config, sync: SyncConfig, options: RunOptions): Drive {
  const { name } = sync;
  const { mode, full, limit, replay } = options;
  return {
    name,
    kind: "sync",
    lock: sendLock(targetOf(config.api), name),
    doing: "sent",
    command: `sluice run ${name}`,
    workflow: "sync",
    input: { sync: name, mode, full, limit, replay },
    asked: [mode, full, limit, replay],
    isSame: async (runId, session) => await replaysSame(session, runId, options),
    shareOf: (session) => (replay === undefined ? readShare(session, sync) : async () => undefined),
  };
}

/** Opens a session and runs the syncs one after the other, following each to its end. */
export async function transferNow(
  context: Context,
  of: {
    readonly config: Config;
    readonly syncs: readonly SyncConfig[];
    readonly options: RunOptions;
    readonly before?: Drive["before"];
  },
): Promise<void> {
  const { config, syncs, options, before } = of;
  const drives = syncs.map((sync) => ({ ...driveOf(config, sync, options), before }));
  await driveRun(context, config, { drives, options });
}

/** @throws {SluiceError} the source cannot be read, or lacks something that the mapping reads. */
async function assertReadable(config: Config, sync: SyncConfig): Promise<void> {
  const signal = AbortSignal.timeout(sourceMsMax);
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  await checkColumns(source, sync, { signal, mayName: true });
}

/** The options of `sluice run`. */
export type NamedOptions = RunOptions & { readonly all?: boolean };

/** Runs the syncs of these names, as `syncsNamed` reads them, one after the other. */
export async function runNow(
  context: Context,
  names: readonly string[],
  { all, ...options }: NamedOptions,
): Promise<void> {
  const config = await configOf(context, options);
  const wanted = syncsNamed(config, names, all);
  const kept = keepWorst(context);
  const syncs: SyncConfig[] = [];
  // Before anything is started, so that a fault of a source is reported at once.
  await oneByOne(wanted, { context: kept, options }, async (sync) => {
    await assertReadable(config, sync);
    syncs.push(sync);
  });
  if (syncs.length > 0) await transferNow(kept, { config, syncs, options });
}
