import type { SyncConfig } from "../config/config.ts";
import { canonicalJson, sha256 } from "../config/hash.ts";
import { compileMapping, type CompiledMapping } from "./compile.ts";
import { loadMappingModule } from "./module.ts";
import { placedRules, type PlacedRule } from "./placed-rules.ts";

/** A hash of what makes records from rows: a module's file, comments included, otherwise the content of `record`. */
export function mappingHash({
  record,
  recordModule,
  stream,
}: Pick<SyncConfig, "record" | "recordModule" | "stream">): string {
  return sha256(canonicalJson({ stream, record: recordModule?.hash ?? record }));
}

/** A mapping as the store keeps it: its hash, and its text, which is not kept for a module. */
export function mappingToKeep(sync: Pick<SyncConfig, "record" | "recordModule" | "stream">): {
  readonly mapping: string;
  readonly written: string | null;
} {
  const { record, recordModule, stream } = sync;
  // In the order in which it is written, which is the order of a record's fields.
  const written = recordModule === undefined ? JSON.stringify({ stream, record }) : null;
  return { mapping: mappingHash(sync), written };
}

/**
 * The mapping of a sync, ready for rows.
 * @throws {ConfigError} its module cannot be loaded or does not export `mapRecord`.
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

/** A mapping as its sync configures it. */
export type WrittenMapping = Pick<SyncConfig, "record" | "recordModule" | "stream">;

/** The rules of a mapping's fields; undefined for a module, which does not say. */
export function rulesOf({
  record,
  recordModule,
  stream,
}: WrittenMapping): readonly PlacedRule[] | undefined {
  if (record === undefined || recordModule !== undefined) return undefined;
  const { texts, properties } = placedRules(record, stream);
  return [...texts, ...properties];
}

/** The paths of the fields that a mapping names; undefined for a module, which does not say. */
export function fieldsOf(written: WrittenMapping): readonly string[] | undefined {
  return rulesOf(written)?.map(({ path }) => path.join("."));
}

/**
 * The paths of the fields that a record should have: all that the mapping names, except those with an explicit `empty:
 * omit`. Undefined for a module, which does not say.
 */
export function fieldsToHave(written: WrittenMapping): readonly string[] | undefined {
  const wanted = rulesOf(written)?.filter(({ rule }) => rule.empty !== "omit");
  return wanted?.map(({ path }) => path.join("."));
}
