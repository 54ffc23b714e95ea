import type { RunReport } from "../../src/report/report.ts";
import type { LedgerEntry } from "../../src/sandbox/ledger.ts";
import {
  canonicalJson,
  type HeldRecord,
  type LedgerFacts,
  type OracleRow,
  type PartFacts,
  type Snapshot,
  type StoreFacts,
} from "../support/ledger/facts.ts";

/** The record of an id. */
export const nameOf = (id: string): string =>
  canonicalJson({ account_id: id, name: `name of ${id}` });

function row(line: number, key: string, verdict: OracleRow["verdict"]): OracleRow {
  return { key, place: `accounts.csv:${line}`, verdict };
}

function accepted(line: number, key: string): OracleRow {
  return row(line, key, { kind: "accept", record: nameOf(key) });
}

/** Six rows, with each verdict among them. */
export const oracle: readonly OracleRow[] = [
  accepted(2, "a1"),
  row(3, "a1", { kind: "reject", code: "duplicate_key" }),
  accepted(4, "a2"),
  row(5, "a3", { kind: "unchanged", record: nameOf("a3") }),
  row(6, "a4", { kind: "filtered" }),
  accepted(7, "a5"),
];

/** Rows of the first chunk; the second holds the rest. */
export const firstChunk = 4;

/** A line of the ledger: an answer of 200 that applied nothing, unless `more` says otherwise. */
export function entry(
  step: LedgerEntry["step"],
  second: number,
  more: Partial<LedgerEntry>,
): LedgerEntry {
  return {
    t: `2026-01-01T00:00:0${second}.000Z`,
    step,
    file_key: null,
    gzip_sha256: null,
    jsonl_sha256: null,
    records: null,
    bytes: 20,
    status: 200,
    applied: false,
    fault: null,
    ...more,
  };
}

/** A file's PUT and its confirm, which is applied. */
export function upload(
  key: string,
  second: number,
  how: { hash: string; records: number },
): LedgerEntry[] {
  const content = { file_key: key, jsonl_sha256: how.hash, records: how.records };
  return [
    entry("put", second, { ...content, bytes: 100 }),
    entry("confirm-upload", second, { ...content, applied: true }),
  ];
}

/** The first chunk's upload. */
export const uploadOne = upload("k1", 1, { hash: "hash-1", records: 2 });

const uploadTwo = upload("k2", 2, { hash: "hash-2", records: 1 });

function part(chunk: number, fileKey: string, records: number): PartFacts {
  const bytes = { gzipBytes: 100, jsonBytes: 300 };
  return { chunk, fileKey, form: "file", records, state: "committed", ...bytes };
}

/** Receipt of the first chunk's part. */
export const partOne = part(1, "k1", 2);

/** Receipt of the second chunk's part. */
export const partTwo = part(2, "k2", 1);

/** Records by their ids, and the upload that brought each. */
export function heldBy(keys: Readonly<Record<string, string>>): ReadonlyMap<string, HeldRecord> {
  return new Map(
    Object.entries(keys).map(([id, fileKey]) => [id, { record: nameOf(id), fileKey }]),
  );
}

/** The store at the end. */
export const store: StoreFacts = {
  rejects: [{ place: "accounts.csv:3", code: "duplicate_key" }],
  parts: [partOne, partTwo],
  covered: oracle.length,
  version: 3,
};

/** The state after a kill after the first commit, with the second confirm applied and its answer lost. */
export const snapshot: Snapshot = {
  service: {
    ledger: [...uploadOne, ...uploadTwo],
    records: heldBy({ a3: "k0", a1: "k1", a2: "k1", a5: "k2" }),
  },
  store: {
    ...store,
    parts: [partOne, { ...partTwo, state: "confirming" }],
    covered: firstChunk,
    version: 2,
  },
};

/** The report of the run. */
export const report: RunReport = {
  run_id: "run-1",
  workflow_id: "wf-1",
  sync: "accounts",
  kind: "sync",
  outcome: "done_with_rejects",
  mode: "heavyweight",
  mode_reason: "asked for",
  counts: { read: 6, sent: 3, unchanged: 1, filtered: 1, rejected: 1 },
  balanced: true,
  chunks: 2,
  parts: 2,
  bytes: { json: 600, gzip: 200 },
  requests: 6,
  retries: 1,
  possibly_repeated: 1,
  waited_ms: 0,
  stamped_in_future: 0,
  checkpoint: { before: 1, after: 3 },
  reject_reasons: [
    { code: "duplicate_key", reason: "same key", count: 1, example: "accounts.csv:3" },
  ],
  warnings: [],
  config_hash: "hash",
  started_at: "2026-01-01T00:00:00.000Z",
  ended_at: "2026-01-01T00:00:05.000Z",
  duration_ms: 5_000,
};

/** A run that was killed once and lost nothing. */
export const sound: LedgerFacts = {
  oracle,
  service: snapshot.service,
  store,
  report,
  snapshots: [snapshot],
  ambiguities: [1],
};
