import { Option } from "commander";

import { askOf, checkColumns, connectorOf } from "../../../activities/stage/source.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import { modes, type RunRequest } from "../../state/contract/runs/runs.ts";
import { sourceMsMax } from "../limits.ts";
import { syncNamed } from "../named.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { Context, Register } from "../output/context.ts";
import { positive } from "../positive.ts";
import { driveRun, type Drive, type DriveOptions } from "../running/drive.ts";
import type { ReadShare } from "../running/follow.ts";
import type { Session } from "../running/session.ts";

/** What a run is asked for beyond the configuration, and how it is shown. */
export type RunOptions = DriveOptions & {
  readonly mode?: (typeof modes)[number];
  readonly full?: boolean;
  readonly limit?: number;
  readonly dryRun?: boolean;
  /** Read these rejects again instead of the source. */
  readonly replay?: NonNullable<RunRequest["replay"]>;
};

/** How far a run has read, from what the source says is left. */
function readShare(session: Session, sync: SyncConfig): ReadShare {
  const source = sourcesOf(session.config).get(sync.connector);
  const measure = async (from: unknown): Promise<number | undefined> => {
    const ask = askOf(sync, AbortSignal.timeout(5_000));
    const { bytes, rows } = (await source?.measure?.({ ...ask, from: from ?? undefined })) ?? {};
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
      const open = await session.state.openSends({ runId });
      const chunk = counts.staged_chunks;
      const staged = open.at(-1) ?? (await session.state.committedSend({ runId, chunk }));
      // Of a staging that has not told yet where it is, its beginning is known.
      const at = staged?.to ?? staged?.from;
      const to = JSON.stringify(at ?? null);
      // A database counts its rows for each answer: a place is measured once.
      if (last?.to !== to) last = { to, left: measure(at) };
      const left = await last.left;
      if (whole === undefined || left === undefined || whole === 0) return undefined;
      return Math.min(1, Math.max(0, 1 - left / whole));
    } catch {
      return undefined; // a source that cannot be measured now is no reason to stop following
    }
  };
}

/** Whether a run was asked to replay the same rejects. */
async function replaysSame(
  { state }: Session,
  runId: string,
  { mode, full, limit, dryRun, replay }: RunOptions,
): Promise<boolean> {
  const isReplay = [mode, full, limit, dryRun].every((option) => option === undefined);
  const { request } = (await state.run(runId)) ?? {};
  return isReplay && JSON.stringify(replay) === JSON.stringify(request?.replay);
}

/** Opens a session, starts a run of the sync and follows it to its end. */
export async function transferNow(
  context: Context,
  of: { readonly config: Config; readonly sync: SyncConfig; readonly options: RunOptions },
): Promise<void> {
  const { config, sync, options } = of;
  const { name } = sync;
  const { mode, full, limit, dryRun, replay } = options;
  const drive: Drive = {
    name,
    kind: "sync",
    lock: sendLock(targetOf(config.api), name),
    doing: "sent",
    command: `sluice run ${name}`,
    workflow: "sync",
    input: { sync: name, mode, full, limit, dry_run: dryRun, replay },
    asked: [mode, full, limit, dryRun, replay],
    isSame: async (runId, session) => await replaysSame(session, runId, options),
    shareOf: (session) => (replay === undefined ? readShare(session, sync) : async () => undefined),
  };
  await driveRun(context, config, { drive, options });
}

/** `sluice run <sync>`. */
export const registerRun: Register = (program, context) => {
  withGlobals(program.command("run <sync>"))
    .description("transfer a sync now and follow it to its end")
    .addOption(new Option("--mode <mode>", "how records are sent").choices(modes))
    .option("--full", "send every row, whatever was sent before")
    .option("--limit <rows>", "read at most this many rows", positive)
    .option("--dry-run", "do everything but send")
    .option("--no-wait", "start it and print the workflow's id")
    .action(async (name: string, options: RunOptions) => {
      const config = await configOf(context, options);
      const sync = syncNamed(config, name);
      // Before anything is started: what is wrong with the source is said at once.
      const signal = AbortSignal.timeout(sourceMsMax);
      const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
      await checkColumns(source, sync, { signal, mayName: true });
      await transferNow(context, { config, sync, options });
    });
};
