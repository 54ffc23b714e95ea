import { ConfigError } from "../../../errors.ts";
import { countsSoFar } from "../../../report/counts.ts";
import { reportOfRun } from "../../../report/of-run.ts";
import type { RunReport } from "../../../report/report.ts";
import type { ChunkTimes } from "../../../state/contract/runs/figures.ts";
import type { Run } from "../../../state/contract/runs/runs.ts";
import { counted, durationText, grouped } from "../../../text/quantities.ts";
import { startFormLink, workflowLink } from "../../backfill/link.ts";
import { firstRejects, reportText } from "../../output/report-text.ts";
import type { Unsendable } from "../../run/unsendable.ts";
import { heldNow } from "../../status/look.ts";
import { balanceBar, chunkWords, timeLine, type BalancePart } from "../charts.ts";
import { html, linkTo, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { UiAsked } from "../server.ts";
import type { Sight } from "../sight.ts";
import { commandHtml, outcomeHtml, runPath, tableHtml, terminalText } from "../words.ts";
import { notApprovedHtml } from "./held.ts";

/** How many chunks are drawn: the last ones. */
const chunksMax = 60;

/** How many rejects of each reason are shown. */
const examplesMax = 3;

/** How many of the changed fields are shown. */
const fieldsMax = 50;

function balanceOf(report: RunReport): readonly BalancePart[] {
  const { counts, pull } = report;
  if (pull !== undefined) {
    return [
      { kind: "sent", name: "written", count: pull.written },
      { kind: "unchanged", name: "unchanged", count: pull.unchanged },
      { kind: "filtered", name: "without a row", count: pull.missing },
      { kind: "rejected", name: "rejected", count: counts.rejected },
    ];
  }
  const {
    unchanged = 0,
    filtered = 0,
    rejected = 0,
    on_the_way: onTheWay = 0,
  } = countsSoFar(report);
  return [
    { kind: "sent", name: "sent", count: counts.sent },
    { kind: "sent", name: "on the way", count: onTheWay },
    { kind: "unchanged", name: "unchanged", count: unchanged },
    { kind: "filtered", name: "filtered", count: filtered },
    { kind: "filtered", name: "gone", count: counts.gone ?? 0 },
    { kind: "rejected", name: "rejected", count: rejected },
  ];
}

function changesHtml({ changes }: RunReport): Html | undefined {
  if (changes === undefined || changes.fields.length === 0) return undefined;
  const { fields, changed } = changes;
  const rows = fields
    .slice(0, fieldsMax)
    .map(({ field, records }) => [
      html`<code>${field}</code>`,
      grouped(records),
      `${Math.round((100 * records) / Math.max(1, changed))} %`,
    ]);
  return html`<h2>Changes by field</h2>
    ${tableHtml("Changes by field", ["Field", "Changed records", "Share of changed records"], rows)}`;
}

function chunkRow(chunk: ChunkTimes): (string | number)[] {
  const { chunk: number, read, records, rejected, parts, retries, begunAt } = chunk;
  const { leftAt, uploadedAt, acceptedAt, committedAt } = chunk;
  const after = [leftAt, uploadedAt, acceptedAt, committedAt].map((at) =>
    at === null ? "-" : durationText(Math.max(0, at - begunAt)),
  );
  return [
    number,
    chunkWords(chunk),
    ...[read, records, rejected, parts, retries].map(grouped),
    ...after,
  ];
}

function chunksHtml(
  chunks: readonly ChunkTimes[],
  report: RunReport,
  nowMs: number,
): Html | undefined {
  if (chunks.length === 0) return undefined;
  const endMs = report.ended_at === null ? nowMs : Date.parse(report.ended_at);
  const headings = [
    "Chunk",
    "State",
    "Read",
    "Records",
    "Rejected",
    "Parts",
    "Tried again",
    "Left after",
    "Uploaded after",
    "Accepted after",
    "Committed after",
  ];
  return html`<h2>Chunks</h2>
    ${chunks.length === chunksMax ? html`<p class="soft">The last ${chunksMax}.</p>` : undefined}
    ${timeLine(chunks, endMs)}
    <details>
      <summary>As a table</summary>
      ${tableHtml("Chunks", headings, chunks.map(chunkRow))}
    </details>`;
}

async function rejectsHtml(
  { state }: Sight,
  run: Run,
  report: RunReport,
): Promise<Html | undefined> {
  const { reject_reasons: reasons } = report;
  if (reasons.length === 0) return undefined;
  const { runId, target } = run;
  const rows = await Promise.all(
    reasons.map(async ({ code, reason, count }) => {
      const examples = await state.rejectsWhere({ target, run: runId, code, limit: examplesMax });
      return [
        html`<a href="${linkTo("/rejects", { run: runId, code })}">${reason}</a><br /><code
            >${code}</code
          >`,
        grouped(count),
        html`${examples.map(({ place, field }) => html`${place}${field === null ? "" : ` (${field})`}<br />`)}`,
      ];
    }),
  );
  return html`<h2>Rejects</h2>
    ${tableHtml("Reasons", ["Reason", "Rejects", "For example"], rows)}`;
}

/** The links and commands for what a person may look at or do next. */
function nextHtml(
  { config, context }: Sight,
  run: Run,
  { report, not }: { readonly report: RunReport; readonly not: Unsendable | undefined },
): Html {
  const { runId, sync, workflowId } = run;
  const link = workflowLink(context, config, workflowId);
  const form = startFormLink(context, config, run.kind === "backfill" ? "backfill" : "sync");
  const isHeld = report.outcome === "held";
  const commands = [
    ...(isHeld && not === undefined
      ? [
          ["approve", runId],
          ["discard", runId],
        ]
      : []),
    ...(report.outcome === "running" ? [["cancel", runId]] : []),
    ...(report.counts.rejected > 0 && report.pull === undefined
      ? [["rejects", "replay", runId]]
      : []),
    ["runs", "show", runId],
  ];
  return html`<h2>What can be done</h2>
    ${not === undefined ? undefined : notApprovedHtml(not)}
    ${commands.map((words) => commandHtml(...words))}
    <p>
      <a href="${linkTo("/runs", { sync })}">Runs of ${sync}</a>${
        link === undefined
          ? undefined
          : html` · <a href="${link}">its workflow in Temporal’s Web UI</a>`
      }${
        form === undefined || run.kind === "pull"
          ? undefined
          : html` · <a href="${form}">the form there that starts another</a>`
      }
    </p>`;
}

/** The page of one run. @throws {ConfigError} there is no such run. */
export async function runPage(sight: Sight, { run: runId = "" }: UiAsked): Promise<UiPage> {
  const { state } = sight;
  const found = await state.run(runId);
  if (found === undefined) {
    throw new ConfigError("there is no run of this name", { hint: "it may have been pruned" });
  }
  const { run, not } = await heldNow(sight, found);
  const report = await reportOfRun(state, run);
  const chunks = await state.chunkTimes({ runId, limit: chunksMax });
  const firsts = await firstRejects(state, report);
  const { sync, kind, outcome, started_at: from, duration_ms: ms } = report;
  const isLive = outcome === "running";
  const main = html`<dl class="facts">
      <dt>Outcome</dt>
      <dd>${outcomeHtml(outcome)}</dd>
      <dt>Run</dt>
      <dd><code>${runId}</code> (${kind})</dd>
      <dt>Begun</dt>
      <dd>${from}</dd>
      <dt>${isLive ? "For" : "Took"}</dt>
      <dd>${durationText(ms)}</dd>
    </dl>
    <h2>
      ${counted(report.counts.read + (report.under_way?.read ?? 0), "row")}
      read${isLive ? " so far" : ""}
    </h2>
    ${balanceBar(balanceOf(report))}
    ${report.balanced ? undefined : html`<p class="bad">The counts do not balance.</p>`}
    <h2>Report</h2>
    ${terminalText(reportText(report, { firsts, not }))} ${changesHtml(report)}
    ${await rejectsHtml(sight, run, report)} ${chunksHtml(chunks, report, state.now())}
    ${nextHtml(sight, run, { report, not })}`;
  return { title: `A run of ${sync}`, main, isLive };
}

/** The path of a run's page, as fastify writes it. */
export const runRoute: string = runPath("").concat(":run");
