import { targetOf } from "../../../config/config.ts";
import type { RunFigures } from "../../../state/contract/runs/figures.ts";
import { durationText, grouped } from "../../../text/quantities.ts";
import { startFormLink } from "../../backfill/link.ts";
import { backfillText } from "../../status/backfills.ts";
import type { InboxStatus } from "../../status/inbox.ts";
import { lookAtProject, type ProjectStatus } from "../../status/look.ts";
import { remarkLines, transferCells } from "../../status/text.ts";
import type { TransferStatus } from "../../status/transfer.ts";
import { chartKey, runBars } from "../charts.ts";
import { html, linkTo, withCode, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { UiAsked } from "../server.ts";
import type { Sight } from "../sight.ts";
import { outcomeHtml, runPath, tableHtml } from "../words.ts";

/** How many runs are in the chart of a sync or pull. */
const barsMax = 30;

/** How many syncs and pulls are on a page: it stays below 100 kB. */
const transfersMax = 25;

function transferRow(transfer: TransferStatus, figures: readonly RunFigures[]): Html[] {
  const { name, kind, last: report } = transfer;
  const [, last, , counts, next, wrong] = transferCells(transfer);
  const run =
    report === undefined
      ? html`<span class="soft">never ran</span>`
      : html`${outcomeHtml(report.outcome)}<br /><a href="${runPath(report.run_id)}">${last}</a>`;
  const bars =
    figures.length === 0
      ? html`-`
      : html`${runBars(name, figures)}<a href="${linkTo("/runs", { sync: name })}"
            >runs<span class="hidden"> of ${name}</span></a
          >`;
  return [
    html`${name}<br /><span class="soft">${kind}</span>`,
    run,
    html`${counts}`,
    bars,
    html`${next}`,
    withCode(wrong),
  ];
}

function inboxRow({ connection, path, waiting, oldestMs, problem }: InboxStatus): Html[] {
  const wrong = problem === undefined ? "" : `${problem.text} → ${problem.hint ?? ""}`;
  return [
    html`${connection}`,
    html`<code>${path}</code>`,
    html`${grouped(waiting)}`,
    html`${oldestMs === undefined ? "-" : durationText(oldestMs)}`,
    withCode(wrong),
  ];
}

function inboxesTable({ inboxes }: ProjectStatus): Html | undefined {
  if (inboxes.length === 0) return undefined;
  const headings = ["Connection", "Pushed to", "Waiting", "Oldest", "What is wrong → what to do"];
  return html`<h2>Inboxes</h2>
    ${tableHtml("Inboxes", headings, inboxes.map(inboxRow))}`;
}

async function transfersTable(
  { state, config }: Sight,
  shown: readonly TransferStatus[],
): Promise<Html> {
  if (shown.length === 0) {
    return html`<p>Nothing is configured under <code>syncs:</code> or <code>pulls:</code>.</p>`;
  }
  const target = targetOf(config.api);
  const rows = await Promise.all(
    shown.map(async (transfer) => {
      const figures = await state.runFigures({ target, sync: transfer.name, limit: barsMax });
      return transferRow(transfer, figures);
    }),
  );
  const headings = [
    "Name",
    "Last run",
    "Rows",
    `The newest ${barsMax} runs`,
    "Next run",
    "What is wrong → what to do",
  ];
  return html`${tableHtml("Syncs and pulls", headings, rows)}${chartKey([
    ["sent", "sent, or written"],
    ["unchanged", "unchanged"],
    ["filtered", "filtered, or without a row"],
    ["rejected", "rejected"],
    ["failed", "the run failed"],
  ])}`;
}

/** Links to where runs are started by hand; this page changes nothing. */
function startHtml({ config, context }: Sight): Html | undefined {
  const [run, backfill] = (["sync", "backfill"] as const).map((type) =>
    startFormLink(context, config, type),
  );
  if (run === undefined || backfill === undefined) return undefined;
  return html`<p>
    In Temporal’s Web UI: <a href="${run}">start a run</a>,
    <a href="${backfill}">start a backfill</a>
  </p>`;
}

/** The page of a whole project, beginning with the sync or pull of number `from`. */
export async function overviewPage(sight: Sight, { from = "0" }: UiAsked): Promise<UiPage> {
  const status = await lookAtProject(sight);
  const { transfers, workers, hosts, backfills } = status;
  const begin = Math.min(Math.max(0, Number.parseInt(from, 10) || 0), transfers.length);
  const shown = transfers.slice(begin, begin + transfersMax);
  const rest = transfers.length - begin - shown.length;
  const remarks = [...remarkLines(status), ...backfills.map(backfillText)];
  const isLive = backfills.length > 0 || transfers.some(({ last }) => last?.outcome === "running");
  const more = html`<p>
    <a href="${linkTo("/", { from: String(begin + transfersMax) })}">${rest} more</a>
  </p>`;
  const main = html`${
      remarks.length === 0
        ? undefined
        : html`<ul class="remarks">
            ${remarks.map((line) => html`<li>${withCode(line)}</li>`)}
          </ul>`
    }
    <h2>Syncs and pulls</h2>
    ${await transfersTable(sight, shown)}${rest > 0 ? more : undefined} ${inboxesTable(status)}
    ${startHtml(sight)}
    <h2>Workers</h2>
    <p>
      ${workers === 0 ? "None runs." : `${workers} on ${hosts} ${hosts === 1 ? "host" : "hosts"}.`}
    </p>`;
  return { title: "Overview", main, isLive };
}
