import type { Source } from "../connectors/connector.ts";
import type { SyncConfig } from "../src/config/config.ts";
import type { Checkpoint } from "../src/state/checkpoints.ts";
import type { Dependencies } from "./dependencies.ts";
import { askOf } from "./source.ts";

const otherReading =
  "the checkpoint was made by another way of reading this source: everything is read again";

/** Where the checkpoint lets a run begin, null for the source's beginning, and what a person should know of it. */
function beginOf(
  source: Source,
  config: unknown,
  checkpoint: Checkpoint,
): { readonly from: unknown; readonly warnings: readonly string[] } {
  if (checkpoint.position === null || source.restart?.(config) === "each-run") {
    return { from: null, warnings: [] };
  }
  // Between one configuration and the next a source may come to be read in another order; then a position says nothing.
  const position = source.position.safeParse(checkpoint.position);
  const held = source.position.nullable().safeParse(checkpoint.held);
  if (!position.success || !held.success) return { from: null, warnings: [otherReading] };
  if (source.rewind === undefined) return { from: position.data, warnings: [] };
  const from = source.rewind({ config, position: position.data, held: held.data ?? undefined });
  return from === undefined ? { from: null, warnings: [otherReading] } : { from, warnings: [] };
}

/**
 * Sets where a run begins and how far it reads: from the checkpoint, or as far before it as rows may have come late, to
 * where the source says that its present ends. To be called once the send lock is held.
 */
export async function placeRun(
  { state, target }: Pick<Dependencies, "state" | "target">,
  at: { readonly runId: string; readonly sync: SyncConfig; readonly source: Source },
  signal: AbortSignal,
): Promise<void> {
  const { runId, sync, source } = at;
  const horizon = await source.horizon?.(askOf(sync, signal));
  const checkpoint = await state.checkpoint({ target, sync: sync.name });
  const { from, warnings } = beginOf(source, sync.connectorConfig, checkpoint);
  const { to, held, future } = horizon ?? {};
  await state.placeRun({ runId, checkpointVersion: checkpoint.version, from, to, held, future });
  const told = [...warnings, ...(horizon?.warnings ?? [])];
  if (told.length > 0) await state.addWarnings({ runId, warnings: told });
}
