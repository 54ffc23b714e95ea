import type { FailedVerify, VerifyReport } from "../verify/report.ts";
import { grouped } from "./quantities.ts";

/** The report as lines for a person; workflows print with it, too. */
export function verifyLines(report: FailedVerify | VerifyReport): readonly string[] {
  if ("error" in report) {
    const { code, message, hint } = report.error;
    const hints = hint === undefined ? [] : [`→ ${hint}`];
    return [`${report.sync}: the look failed: ${message} (${code})`, ...hints];
  }
  const { sync, seed, calls, left, counts, differing, stopped } = report;
  const found = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${verdict} ${grouped(count)}`);
  const fields = Object.entries(differing).map(([field, count]) => `${field} ${grouped(count)}`);
  return [
    `${sync}: ${found.length === 0 ? "nothing to look up" : found.join(", ")} (${grouped(calls)} calls)`,
    ...(fields.length === 0 ? [] : [`differing: ${fields.join(", ")}`]),
    ...(left === 0 ? [] : [`not asked: ${grouped(left)}`]),
    ...(stopped === undefined ? [] : [`stopped: ${stopped}`]),
    `\`sluice verify ${sync} --seed ${seed}\` shows the same records, for as many calls again`,
  ];
}
