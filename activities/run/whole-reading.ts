import { connectorOf } from "../../connectors/source.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/** Whether a run reads all of its source and judges records by their keys, so that it shows what vanished. */
export function isWholeReading(
  { config, sources }: Pick<Dependencies, "config" | "sources">,
  { sync: name, configHash, kind, request }: Run,
): boolean {
  const sync = config.syncs.get(name);
  // Closed by a worker with another configuration.
  if (sync?.configHash !== configHash) return false;
  const readsAll =
    connectorOf({ sources }, sync.connector).restart?.(sync.connectorConfig) === "each-run";
  return kind === "sync" && request.limit === undefined && sync.send === "changed" && readsAll;
}
