import type { SyncConfig } from "../config/config.ts";
import { canonicalJson, sha256 } from "../config/hash.ts";
import { compileMapping, type CompiledMapping } from "./compile.ts";
import { loadMappingModule } from "./module.ts";

/** A hash of what makes records of rows: of a module its file, comments included, else what `record` says. */
export function mappingHash({
  record,
  recordModule,
  stream,
}: Pick<SyncConfig, "record" | "recordModule" | "stream">): string {
  return sha256(canonicalJson({ stream, record: recordModule?.hash ?? record }));
}

/**
 * The mapping of a sync, ready for rows.
 * @throws {ConfigError} its module cannot be loaded or exports no `mapRecord`.
 * @throws {ConfigChangedError} its module is not the one that the configuration found.
 */
export async function loadMapping(
  sync: Pick<SyncConfig, "name" | "record" | "recordModule" | "stream">,
): Promise<CompiledMapping> {
  const { name, record, recordModule, stream } = sync;
  if (recordModule !== undefined) {
    return await loadMappingModule({ ...recordModule, sync: name, stream });
  }
  return compileMapping({ mapping: record ?? {}, stream });
}
