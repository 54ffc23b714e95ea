import type { Source } from "../../../../connectors/contract/connector.ts";
import type { SyncConfig } from "../../../config/config.ts";
import type { Places } from "../../../config/document/places.ts";
import { recommendedHoldIf } from "../../../guardrails/recommended.ts";
import type { Note } from "./check-speed.ts";

/** Notes a sync that runs by itself although no guardrail would hold it when a night looks wrong. */
export function checkGuardrails(source: Source, sync: SyncConfig, places: Places): readonly Note[] {
  const { name, holdIf, schedule, send, connectorConfig } = sync;
  if (schedule === undefined || holdIf !== undefined || source.push !== undefined) return [];
  const readsAll = source.restart?.(connectorConfig) === "each-run";
  const bounds = recommendedHoldIf({ readsAll, comparesRecords: send === "changed" });
  const detail =
    "it runs by itself, and a night that looks wrong is sent like any other; " +
    `\`hold_if: ${bounds}\` asks a person first: see docs/guardrails.md`;
  return [{ subject: `sync ${name}`, place: places.of(["syncs", name]), detail }];
}
