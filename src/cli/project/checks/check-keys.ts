import type { Finding } from "../../../../connectors/contract/request.ts";
import { sourcesOf } from "../../../../connectors/registry.ts";
import { repeatsOf } from "../../../backfill/repeats.ts";
import type { Config, SyncConfig } from "../../../config/config.ts";
import { SluiceError } from "../../../errors.ts";
import { keyFieldOf } from "../../../records/streams.ts";
import { sourceMsMax } from "../../limits.ts";

/**
 * Warns about a sync in which several rows make one record; returns nothing if each row makes its own, or if the source
 * cannot be read.
 */
export async function checkKeys(
  config: Config,
  sync: SyncConfig,
): Promise<readonly (Finding & { readonly subject: string })[]> {
  const source = sourcesOf(config).get(sync.connector);
  if (source?.restart?.(sync.connectorConfig) === "each-run") return [];
  try {
    const repeats = await repeatsOf(sync, source ?? {}, AbortSignal.timeout(sourceMsMax));
    if (repeats !== "often") return [];
  } catch (error) {
    // The connection's own findings say why.
    if (error instanceof SluiceError) return [];
    throw error;
  }
  const detail =
    `warning: several rows may make one record, because ${keyFieldOf(sync.stream)} is only a part ` +
    "of their key: the one that changed last wins, and a backfill has one lane and continues to the present";
  return [{ subject: `sync ${sync.name}`, name: "rows of a record", ok: true, detail }];
}
