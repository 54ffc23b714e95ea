import type { SyncConfig } from "../config/config.ts";
import { keyColumnsOf } from "../mapping/key-columns.ts";
import { shapeOf } from "../records/streams.ts";
import { planningRequest, type SourceToPlan } from "./source.ts";

/**
 * Whether several rows of a source may make one record, so that a later one replaces an earlier one: `once` means
 * never, `often` by design (a table of versions), undefined that nobody can know. Each event counts for itself, and
 * a connector without `repeats` promises by its `at` that each row is the only one of its record.
 */
export async function repeatsOf(
  sync: Pick<SyncConfig, "connectorConfig" | "record" | "stream">,
  source: Pick<SourceToPlan, "repeats">,
  signal: AbortSignal,
): Promise<"often" | "once" | undefined> {
  if (source.repeats === undefined || shapeOf(sync.stream).discriminator !== "type") return "once";
  const key = keyColumnsOf(sync);
  if (key === undefined) return undefined;
  const request = planningRequest(sync.connectorConfig, signal);
  const repeats = await source.repeats({ ...request, columns: key.columns });
  return repeats === "once" && !key.isInjective ? undefined : repeats;
}

/**
 * Whether each row certainly makes a record of its own: because the source says so, or because each event counts for
 * itself.
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
