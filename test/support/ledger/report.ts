import type { OracleRow } from "./facts.ts";
import { about, differs, kindOf, type Invariant } from "./words.ts";

function countsOf(oracle: readonly OracleRow[]): Record<string, number> {
  return {
    read: oracle.length,
    sent: kindOf(oracle, "accept").length,
    unchanged: kindOf(oracle, "unchanged").length,
    filtered: kindOf(oracle, "filtered").length,
    rejected: kindOf(oracle, "reject").length,
  };
}

/** L7: the report's counts match the source, and so does its outcome. */
const reportEqualsSource: Invariant = ({ oracle, store, report, moves = report.chunks }) => {
  const counts = countsOf(oracle);
  const codes = new Map<string, number>();
  for (const { code } of store.rejects) codes.set(code, (codes.get(code) ?? 0) + 1);
  const { before, after } = report.checkpoint;
  return [
    ...Object.entries(counts).flatMap(([bucket, rows]) =>
      differs(`L7: the report's ${bucket}`, Reflect.get(report.counts, bucket), rows),
    ),
    ...report.reject_reasons.flatMap(({ code, count }) =>
      differs(`L7: the report's rejects for ${code}`, count, codes.get(code) ?? 0),
    ),
    ...differs("L7: balanced", report.balanced, true),
    ...differs(
      "L7: the outcome",
      report.outcome,
      store.rejects.length > 0 ? "done_with_rejects" : "done",
    ),
    ...differs("L7: the report's checkpoints", after - before, moves),
    ...differs("L7: the report's last checkpoint", after, store.version),
  ];
};

/** L7: what the report counts as sent matches the ledger, part by part and byte by byte. */
const reportEqualsLedger: Invariant = ({ service: { ledger }, store, report }) => {
  const parts = store.parts.filter(({ state }) => state === "committed");
  const taken = new Map(
    ledger.flatMap((entry) => (entry.applied ? [[entry.file_key, entry] as const] : [])),
  );
  const puts = new Map(
    ledger.flatMap((entry) =>
      entry.step === "put" && entry.status === 200 ? [[entry.file_key, entry] as const] : [],
    ),
  );
  const wrong = parts.filter(({ fileKey, form, records, jsonBytes, gzipBytes }) => {
    const entry = taken.get(fileKey);
    const bytes = form === "body" ? entry?.bytes : puts.get(fileKey)?.bytes;
    return entry?.records !== records || bytes !== (form === "body" ? jsonBytes : gzipBytes);
  });
  const sum = (of: "records" | "gzipBytes" | "jsonBytes"): number =>
    parts.reduce((total, part) => total + part[of], 0);
  return [
    ...about(
      "L7: parts that the ledger has otherwise",
      wrong.map(({ chunk, fileKey }) => `${fileKey ?? "one without a key"} of chunk ${chunk}`),
    ),
    ...differs("L7: the report's parts", report.parts, parts.length),
    ...differs("L7: the report's sent", report.counts.sent, sum("records")),
    ...differs("L7: the report's gzip bytes", report.bytes.gzip, sum("gzipBytes")),
    ...differs("L7: the report's JSON bytes", report.bytes.json, sum("jsonBytes")),
  ];
};

/** The invariants that compare the report with source and ledger. */
export const reportInvariants: readonly Invariant[] = [reportEqualsSource, reportEqualsLedger];
