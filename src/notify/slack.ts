import { reportCounts } from "../report/counts.ts";
import type { RunReport } from "../report/report.ts";
import { changesLines } from "../text/changes-text.ts";
import { heldLines } from "../text/hold-text.ts";
import { outcomeText } from "../text/outcome-text.ts";
import { plainText } from "../text/plain-text.ts";
import { grouped } from "../text/quantities.ts";

/** Slack reads `<…>` as links and as calls to a whole channel, which foreign text must not make. */
export function slackEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function countsText(report: RunReport): string {
  return reportCounts(report)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${grouped(count)}`)
    .join(", ");
}

/** Why a run is held, and what to do. */
function heldText({ hold, run_id: runId }: RunReport): readonly string[] {
  if (hold === undefined) return [];
  return [
    ...heldLines(hold),
    `nothing more is sent until somebody agrees: \`sluice approve ${runId}\` or \`sluice discard ${runId}\``,
  ];
}

/** The outcome of a run, as a text for Slack. */
export function slackText(report: RunReport): string {
  const { error } = report;
  const lines = [
    `${report.sync}: ${outcomeText(report.outcome)}`,
    ...(error === undefined ? [] : [error.message]),
    ...(report.outcome === "held" ? heldText(report) : []),
    ...(error?.hint === undefined ? [] : [`→ ${error.hint}`]),
    `rows: ${countsText(report)}${report.balanced ? "" : " (DOES NOT BALANCE)"}`,
    ...changesLines(report.changes).map((line) => `why: ${line}`),
    ...report.reject_reasons.map(
      ({ count, reason, example }) => `rejected: ${count} × ${reason}, first at ${example}`,
    ),
    ...report.warnings.map((warning) => `warning: ${warning}`),
    `sluice runs show ${report.run_id}`,
  ];
  return lines.map(plainText).join("\n");
}
