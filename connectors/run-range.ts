import type { SyncConfig } from "../src/config/config.ts";
import type { Checkpoint } from "../src/state/contract/runs/checkpoints.ts";
import type { Source } from "./contract/connector.ts";
import { readRequestOf } from "./source.ts";

const otherReading = "the checkpoint was made by another way of reading this source";

/** The checkpoint as the source knows it: null without one, undefined when it means nothing for this way of reading. */
function sinceOf(
  source: Source,
  config: unknown,
  checkpoint: Checkpoint,
): { readonly position: unknown; readonly oldestOpen: unknown } | null | undefined {
  if (checkpoint.position === null || source.restart?.(config) === "each-run") return null;
  // Another configuration may read a source in another order; then a position means nothing.
  const position = source.position.safeParse(checkpoint.position);
  const oldestOpen = source.position.nullable().safeParse(checkpoint.oldestOpen);
  if (!position.success || !oldestOpen.success) return undefined;
  return { position: position.data, oldestOpen: oldestOpen.data ?? undefined };
}

/**
 * Where the checkpoint lets a run that reads up to `to` begin; null for the source's beginning. `isOther`: the
 * checkpoint is of another way of reading.
 */
async function beginOf(
  source: Source,
  config: unknown,
  { since, to }: { readonly since: ReturnType<typeof sinceOf>; readonly to: unknown },
): Promise<{ readonly from: unknown; readonly isOther: boolean }> {
  if (since === null) return { from: null, isOther: false };
  if (since === undefined) return { from: null, isOther: true };
  if (source.rewind === undefined) {
    const isOther = source.isOf?.({ config, position: since.position }) === false;
    return { from: isOther ? null : since.position, isOther };
  }
  const from = await source.rewind({ config, ...since, to });
  return { from: from ?? null, isOther: from === undefined };
}

function goneWarnings(gone: number, from: unknown): readonly string[] {
  if (gone === 0) return [];
  const [events, them] = gone === 1 ? ["event was", "it"] : ["events were", "them"];
  // Without a checkpoint nobody knows what the sync had read: it may be new, or have been reset.
  const before =
    from === null ? "this run, which begins without a checkpoint" : `this sync read ${them}`;
  return [
    `${gone} ${events} removed from the inbox before ${before}, and counted as gone: only the sender has ${them} still`,
  ];
}

/** Where a run begins and how far it reads. */
export type RunRange = {
  /** Null is the source's beginning. */
  readonly from: unknown;
  readonly to: unknown;
  readonly oldestOpen: unknown;
  readonly future: number | undefined;
  /** Events that were removed before they were read. */
  readonly gone: number;
  readonly warnings: readonly string[];
};

/**
 * The range that a run of a sync reads: from the checkpoint, or as far before it as rows may have come late, to where
 * the source says that its present ends.
 */
export async function runRangeOf(
  source: Source,
  { sync, checkpoint }: { readonly sync: SyncConfig; readonly checkpoint: Checkpoint },
  signal: AbortSignal,
): Promise<RunRange> {
  const config = sync.connectorConfig;
  const since = sinceOf(source, config, checkpoint);
  const readLimit = await source.readLimit?.({
    ...readRequestOf(sync, signal),
    since: since?.position,
  });
  const { to, oldestOpen, future } = readLimit ?? {};
  const { from, isOther } = await beginOf(source, config, { since, to });
  // Where the checkpoint is of another inbox, its numbers mean nothing for this one.
  const gone = isOther ? 0 : ((await source.gone?.({ config, from: from ?? undefined, to })) ?? 0);
  const warnings = [
    ...(isOther ? [`${readLimit?.whyOther ?? otherReading}: everything is read again`] : []),
    ...goneWarnings(gone, from),
    ...(readLimit?.warnings ?? []),
  ];
  return { from, to, oldestOpen, future, gone, warnings };
}
