import type { SyncConfig } from "../config/config.ts";
import { keyColumnsOf } from "../mapping/key-columns.ts";
import { shapeOf } from "../records/streams.ts";
import { planningRequest, type SourceToPlan } from "./source.ts";

/**
 * Whether several rows of a source may make one record, of which a later one replaces an earlier: `once` says
 * never, `often` that it is made so (a table of versions), undefined that nobody can tell. Events stand each
 * for itself, and a connector that does not say promises by its `at` that each row is the only one of its
 * record.
 */
export async function repeatsOf(
  sync: Pick<SyncConfig, "connectorConfig" | "record" | "stream">,
  source: Pick<SourceToPlan, "repeats">,
  signal: AbortSignal,
): Promise<"often" | "once" | undefined> {
  if (source.repeats === undefined || shapeOf(sync.stream).discriminator !== "type") return "once";
  const columns = keyColumnsOf(sync);
  if (columns === undefined) return undefined;
  return await source.repeats({ ...planningRequest(sync.connectorConfig, signal), columns });
}

/**
 * Whether it is certain that each row makes a record of its own: by the source's own word, or because events
 * stand each for itself.
 */
export async function isOneEach(
  sync: Parameters<typeof repeatsOf>[0],
  source: Pick<SourceToPlan, "repeats">,
  signal: AbortSignal,
): Promise<boolean> {
  const isEvent = shapeOf(sync.stream).discriminator !== "type";
  if (isEvent || source.repeats === undefined) return isEvent;
  return (await repeatsOf(sync, source, signal)) === "once";
}
