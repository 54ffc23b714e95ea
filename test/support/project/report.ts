import type { RunReport } from "../../../src/report/report.ts";

/** The report of a run of `accounts` that sent the three rows that it read, with these changes. */
export function reportWith(changes: Partial<RunReport> = {}): RunReport {
  return {
    run_id: "run-1",
    workflow_id: "wf",
    sync: "accounts",
    kind: "sync",
    outcome: "done",
    mode: "lightweight",
    mode_reason: "3 records need 1 body",
    counts: { read: 3, sent: 3, unchanged: 0, filtered: 0, rejected: 0 },
    balanced: true,
    chunks: 1,
    parts: 1,
    bytes: { json: 9, gzip: 0 },
    requests: 1,
    retries: 0,
    possibly_repeated: 0,
    waited_ms: 0,
    stamped_in_future: 0,
    checkpoint: { before: 0, after: 1 },
    reject_reasons: [],
    warnings: [],
    config_hash: "c0ffee",
    started_at: "2026-01-01T01:30:10.000Z",
    ended_at: "2026-01-01T01:30:11.000Z",
    duration_ms: 1_000,
    ...changes,
  };
}
