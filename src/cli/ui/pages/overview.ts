import type { Outcome } from "../../../state/contract/runs/runs.ts";
import { durationText, grouped } from "../../../text/quantities.ts";
import type { InboxStatus } from "../../status/inbox.ts";
import { lookAtProject, type ProjectStatus } from "../../status/look.ts";
import { remarkLines, transferCells } from "../../status/text.ts";
import type { TransferStatus } from "../../status/transfer.ts";
import { html, withCode, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { Sight } from "../sight.ts";

const tones: Readonly<Record<Outcome | "held" | "running", string>> = {
  done: "good",
  running: "good",
  done_with_rejects: "warn",
  held: "warn",
  busy: "warn",
  credits_exhausted: "warn",
  discarded: "warn",
  cancelled: "warn",
  abandoned: "bad",
  failed: "bad",
};

/** An outcome in its colour; the word says it, too. */
function outcomeHtml(outcome: Outcome | "held" | "running"): Html {
  return html`<span class="state ${tones[outcome]}">${outcome.replaceAll("_", " ")}</span>`;
}

/** Where a run is shown. */
function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

function transferRow(transfer: TransferStatus): Html {
  const [name, last, , counts, next, wrong] = transferCells(transfer);
  const report = transfer.last;
  const run =
    report === undefined
      ? html`<span class="soft">never ran</span>`
      : html`${outcomeHtml(report.outcome)}<br /><a href="${runPath(report.run_id)}">${last}</a>`;
  return html`<tr>
    <th scope="row">${name}<br /><span class="soft">${transfer.kind}</span></th>
    <td>${run}</td>
    <td>${counts}</td>
    <td>${next}</td>
    <td>${withCode(wrong)}</td>
  </tr>`;
}

function transfersTable({ transfers }: ProjectStatus): Html {
  if (transfers.length === 0) {
    return html`<p>Nothing is configured under <code>syncs:</code> or <code>pulls:</code>.</p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Syncs and pulls">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Last run</th>
          <th scope="col">Rows</th>
          <th scope="col">Next run</th>
          <th scope="col">What is wrong → what to do</th>
        </tr>
      </thead>
      <tbody>
        ${transfers.map(transferRow)}
      </tbody>
    </table>
  </div>`;
}

function inboxRow({ connection, path, waiting, oldestMs, problem }: InboxStatus): Html {
  const wrong = problem === undefined ? "" : `${problem.text} → ${problem.hint ?? ""}`;
  return html`<tr>
    <th scope="row">${connection}</th>
    <td><code>${path}</code></td>
    <td class="number">${grouped(waiting)}</td>
    <td>${oldestMs === undefined ? "-" : durationText(oldestMs)}</td>
    <td>${withCode(wrong)}</td>
  </tr>`;
}

function inboxesTable({ inboxes }: ProjectStatus): Html | undefined {
  if (inboxes.length === 0) return undefined;
  return html`<h2>Inboxes</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Inboxes">
      <table>
        <thead>
          <tr>
            <th scope="col">Connection</th>
            <th scope="col">Pushed to</th>
            <th scope="col" class="number">Waiting</th>
            <th scope="col">Oldest</th>
            <th scope="col">What is wrong → what to do</th>
          </tr>
        </thead>
        <tbody>
          ${inboxes.map(inboxRow)}
        </tbody>
      </table>
    </div>`;
}

/** The page of a whole project. */
export async function overviewPage(sight: Sight): Promise<UiPage> {
  const status = await lookAtProject(sight);
  const { transfers, workers, hosts, backfills } = status;
  const remarks = remarkLines(status);
  const isLive = backfills.length > 0 || transfers.some(({ last }) => last?.outcome === "running");
  const main = html`${
      remarks.length === 0
        ? undefined
        : html`<ul class="remarks">
            ${remarks.map((line) => html`<li>${withCode(line)}</li>`)}
          </ul>`
    }
    ${transfersTable(status)} ${inboxesTable(status)}
    <h2>Workers</h2>
    <p>
      ${workers === 0 ? "None runs." : `${workers} on ${hosts} ${hosts === 1 ? "host" : "hosts"}.`}
    </p>`;
  return { title: "Overview", main, isLive };
}
