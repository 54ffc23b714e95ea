import type { SyncConfig } from "../config/config.ts";

/** Whether a run that reads the source rejects a row whose key an earlier one had. */
export function rejectsDuplicates(
  source: { restart?(config: unknown): string | undefined },
  { connectorConfig, duplicateKeys }: Pick<SyncConfig, "connectorConfig" | "duplicateKeys">,
): boolean {
  return source.restart?.(connectorConfig) === "each-run" && duplicateKeys === "reject";
}
