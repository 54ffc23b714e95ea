import type { Staging } from "../../src/state/contract/sends/stagings.ts";
import type { StageResult } from "../inputs.ts";

/** The result of staging a chunk, from what the store keeps of it. */
export function stageResultOf(send: Staging): StageResult {
  const { stage, records, jsonBytes, gzipBytes, done, bodies } = send;
  const { read, unchanged, filtered, rejected } = send;
  const counts = { read, unchanged, filtered, rejected };
  return { stage, records, parts: bodies?.length ?? 0, jsonBytes, gzipBytes, done, counts };
}
