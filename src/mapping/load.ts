import type { SyncConfig } from "../config/config.ts";
import { compileMapping, type CompiledMapping } from "./compile.ts";
import { loadMappingModule } from "./module.ts";

/**
 * The mapping of a sync, ready for rows.
 * @throws {ConfigError} its module cannot be loaded or exports no `mapRecord`.
 */
export async function loadMapping(
  sync: Pick<SyncConfig, "record" | "recordModule" | "stream">,
): Promise<CompiledMapping> {
  const { record, recordModule, stream } = sync;
  if (recordModule !== undefined) return await loadMappingModule({ path: recordModule, stream });
  return compileMapping({ mapping: record ?? {}, stream });
}
