import type { Source } from "../../connectors/contract/connector.ts";
import { readRequestOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { Checkpoint } from "../../src/state/contract/runs/checkpoints.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

const otherReading =
  "the checkpoint was made by another way of reading this source: everything is read again";

/** The checkpoint as the source knows it: null without one, undefined when it says nothing of this way of reading. */
function sinceOf(
  source: Source,
  config: unknown,
  checkpoint: Checkpoint,
): { readonly position: unknown; readonly oldestOpen: unknown } | null | undefined {
  if (checkpoint.position === null || source.restart?.(config) === "each-run") return null;
  // Between one configuration and the next a source may come to be read in another order; then a position says nothing.
  const position = source.position.safeParse(checkpoint.position);
  const oldestOpen = source.position.nullable().safeParse(checkpoint.oldestOpen);
  if (!position.success || !oldestOpen.success) return undefined;
  return { position: position.data, oldestOpen: oldestOpen.data ?? undefined };
}

/**
 * Where the checkpoint lets a run begin that reads up to `to`, null for the source's beginning; `isOther`: it
 * is of another way of reading.
 */
async function beginOf(
  source: Source,
  config: unknown,
  { since, to }: { readonly since: ReturnType<typeof sinceOf>; readonly to: unknown },
): Promise<{ readonly from: unknown; readonly isOther: boolean }> {
  if (since === null) return { from: null, isOther: false };
  if (since === undefined) return { from: null, isOther: true };
  if (source.rewind === undefined) return { from: since.position, isOther: false };
  const from = await source.rewind({ config, ...since, to });
  return { from: from ?? null, isOther: from === undefined };
}

function goneWarnings(gone: number): readonly string[] {
  if (gone === 0) return [];
  const [events, them] = gone === 1 ? ["event was", "it"] : ["events were", "them"];
  return [
    `${gone} ${events} removed from the inbox before this sync read ${them}, and counted as gone: only the ` +
      `sender has ${them} still`,
  ];
}

/**
 * Lets a run begin that reads no source: it sends once more what is in doubt. To be called once the send lock
 * is held.
 */
export async function placeResend(
  { state, target }: Pick<Dependencies, "state" | "target">,
  { runId, sync }: Pick<Run, "runId" | "sync">,
): Promise<void> {
  const { version: checkpointVersion } = await state.checkpoint({ target, sync });
  await state.setRunRange({ runId, checkpointVersion, from: null });
}

/** Tells, once for each sync, that the store was restored from a backup. */
export async function warnOfRestore(
  { state, target }: Pick<Dependencies, "state" | "target">,
  { runId, sync }: Pick<Run, "runId" | "sync">,
): Promise<void> {
  if (!(await state.isRestored({ target, sync }))) return;
  const warning =
    "the state store was restored from a backup, and does not know what was sent after it: what was sent " +
    "before counts as unknown, and is sent again when it is read";
  await state.addWarnings({ runId, warnings: [warning] });
  await state.tellRestored({ target, sync });
}

/**
 * Sets where a run begins and how far it reads: from the checkpoint, or as far before it as rows may have come late, to
 * where the source says that its present ends. To be called once the send lock is held.
 */
export async function setRunRange(
  { state, target }: Pick<Dependencies, "state" | "target">,
  at: { readonly runId: string; readonly sync: SyncConfig; readonly source: Source },
  signal: AbortSignal,
): Promise<void> {
  const { runId, sync, source } = at;
  const checkpoint = await state.checkpoint({ target, sync: sync.name });
  const config = sync.connectorConfig;
  const since = sinceOf(source, config, checkpoint);
  const readLimit = await source.readLimit?.({
    ...readRequestOf(sync, signal),
    since: since?.position,
  });
  const { to, oldestOpen, future } = readLimit ?? {};
  const { from, isOther } = await beginOf(source, config, { since, to });
  // Where the checkpoint is of another inbox, its numbers say nothing of this one.
  const gone = isOther ? 0 : ((await source.gone?.({ config, from: from ?? undefined, to })) ?? 0);
  const { version: checkpointVersion } = checkpoint;
  await state.setRunRange({ runId, checkpointVersion, from, to, oldestOpen, future, gone });
  const told = [
    ...(isOther ? [otherReading] : []),
    ...goneWarnings(gone),
    ...(readLimit?.warnings ?? []),
  ];
  if (told.length > 0) await state.addWarnings({ runId, warnings: told });
}
