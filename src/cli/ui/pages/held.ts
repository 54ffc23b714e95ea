import { reportOfRun } from "../../../report/of-run.ts";
import { openHold } from "../../../state/contract/runs/holds.ts";
import type { Run } from "../../../state/contract/runs/runs.ts";
import { changesLines } from "../../../text/changes-text.ts";
import { heldLines } from "../../../text/hold-text.ts";
import { planRows } from "../../../text/plan-text.ts";
import { grouped } from "../../../text/quantities.ts";
import { workflowLink } from "../../backfill/link.ts";
import { rejectLine } from "../../run/reject-text.ts";
import type { Unsendable } from "../../run/unsendable.ts";
import type { Told } from "../../running/ask-temporal.ts";
import { whyNotApproved } from "../../status/left-holds.ts";
import { askOfProject } from "../../status/look.ts";
import { minuteText } from "../../status/transfer.ts";
import { balanceBar } from "../charts.ts";
import { html, linkTo, withCode, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { Sight } from "../sight.ts";
import { commandHtml, runPath } from "../words.ts";

/** How many runs are shown: each has many figures. */
const shownMax = 20;

/** How many rejects of a held run are shown. */
const examplesMax = 5;

/** Why a held run cannot be approved, and what to do, for a person. */
export function notApprovedHtml({ why, hint }: Unsendable): Html {
  return html`<p>${withCode(`${why} → ${hint}`)}</p>`;
}

function answersHtml({ config, context }: Sight, { kind, runId, workflowId }: Run): Html {
  const link = workflowLink(context, config, workflowId);
  // `approve` and `discard` are of held runs alone; the updates are of both.
  const answers =
    kind === "backfill" ? [["backfill", "--follow"], ["cancel"]] : [["approve"], ["discard"]];
  return html`${answers.map((words) => commandHtml(...words, runId))}${
    link === undefined
      ? undefined
      : html`<p>
          <a href="${link}">Its workflow in Temporal’s Web UI</a> takes the updates
          <code>approve</code> and <code>discard</code>, too.
        </p>`
  }`;
}

async function heldHtml(sight: Sight, run: Run, told: Told): Promise<Html | undefined> {
  const hold = openHold(run);
  if (hold === undefined) return undefined;
  const { state } = sight;
  const { runId, sync, target } = run;
  const report = await reportOfRun(state, run);
  const { under_way: staged, counts } = report;
  const unsendable = whyNotApproved(run, sight.config, told);
  const examples = await state.rejectsWhere({ target, run: runId, limit: examplesMax });
  return html`<section>
    <h2>${sync}, held since ${minuteText(hold.since)}</h2>
    <ul>
      ${heldLines(hold).map((line) => html`<li>${line}</li>`)}
    </ul>
    ${balanceBar([
      { kind: "sent", name: "would be sent", count: staged?.records ?? 0 },
      { kind: "unchanged", name: "unchanged", count: counts.unchanged + (staged?.unchanged ?? 0) },
      { kind: "filtered", name: "filtered", count: counts.filtered + (staged?.filtered ?? 0) },
      { kind: "rejected", name: "rejected", count: counts.rejected + (staged?.rejected ?? 0) },
    ])}
    ${changesLines(report.changes).map((line) => html`<p>${line}</p>`)}
    ${
      examples.length === 0
        ? undefined
        : html`<p>Rejected, for example:</p>
            <ul>
              ${examples.map((reject) => html`<li>${rejectLine(reject)}</li>`)}
            </ul>
            <p><a href="${linkTo("/rejects", { run: runId })}">All of its rejects</a></p>`
    }
    ${
      unsendable === undefined
        ? html`<p>
              <a href="${runPath(runId)}">The run</a>. Nothing more of it is sent until somebody
              agrees:
            </p>
            ${answersHtml(sight, run)}`
        : html`<p><a href="${runPath(runId)}">The run</a>. It cannot be approved:</p>
            ${notApprovedHtml(unsendable)}`
    }
  </section>`;
}

async function backfillHtml(sight: Sight, run: Run): Promise<Html | undefined> {
  const stored = await sight.state.plan(run.runId);
  if (run.kind !== "backfill" || stored === undefined) return undefined;
  return html`<section>
    <h2>${run.sync}, a backfill</h2>
    <dl class="facts">
      ${planRows(stored.plan).map(
        ([name, text]) =>
          html`<dt>${name}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>
    <p><a href="${runPath(run.runId)}">The run</a>. While its plan waits:</p>
    ${answersHtml(sight, run)}
  </section>`;
}

/** Whether an open run waits for a person: a held one, or a backfill that has a plan and has staged nothing yet. */
async function isShown({ state }: Sight, run: Run): Promise<boolean> {
  if (openHold(run) !== undefined) return true;
  const { kind, runId } = run;
  if (kind !== "backfill" || (await state.plan(runId)) === undefined) return false;
  return (await state.firstSend({ runId })) === undefined;
}

/** Everything that waits for a person: runs that guardrails hold, and the plans of backfills. */
export async function heldPage(sight: Sight): Promise<UiPage> {
  const { openRuns, told } = await askOfProject(sight);
  const waiting: Run[] = [];
  for (const run of openRuns) if (await isShown(sight, run)) waiting.push(run);
  const shown = await Promise.all(
    waiting
      .slice(0, shownMax)
      .map(async (run) => (await heldHtml(sight, run, told)) ?? (await backfillHtml(sight, run))),
  );
  const more = waiting.length - shown.length;
  const rest = html`<p>And ${grouped(more)} more: <code>sluice status</code></p>`;
  const main = shown.every((each) => each === undefined)
    ? html`<p>Nothing waits for a person.</p>`
    : html`${shown}${more === 0 ? undefined : rest}`;
  return { title: "Held and planned", main };
}
