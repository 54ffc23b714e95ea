import { targetOf } from "../../../config/config.ts";
import type { RunFigures } from "../../../state/contract/runs/figures.ts";
import { openHold } from "../../../state/contract/runs/holds.ts";
import { grouped } from "../../../text/quantities.ts";
import { assertKnownName } from "../../run/runs.ts";
import { minuteText } from "../../status/transfer.ts";
import { runBars } from "../charts.ts";
import { html, linkTo, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { UiAsked } from "../server.ts";
import type { Sight } from "../sight.ts";
import { commandHtml, outcomeHtml, runPath, tableHtml } from "../words.ts";

/** How many runs are on a page. */
const runsMax = 100;

async function rowOf({ state }: Sight, run: RunFigures): Promise<Html[]> {
  const { runId, kind, startedAt, outcome, read, sent, unchanged, filtered, rejected } = run;
  const open = outcome === null ? await state.run(runId) : undefined;
  const isHeld = open !== undefined && openHold(open) !== undefined;
  return [
    html`<a href="${runPath(runId)}">${minuteText(startedAt)}</a>`,
    outcomeHtml(outcome ?? (isHeld ? "held" : "running")),
    html`${kind}`,
    ...[read, sent, unchanged, filtered, rejected].map((count) => html`${grouped(count)}`),
  ];
}

/** Asks whose runs to show. */
function whoseRuns({ config }: Sight): UiPage {
  const names = [...config.syncs.keys(), ...config.pulls.keys()];
  const links = names.map(
    (name) => html`<li><a href="${linkTo("/runs", { sync: name })}">${name}</a></li>`,
  );
  const main =
    names.length === 0
      ? html`<p>Nothing is configured under <code>syncs:</code> or <code>pulls:</code>.</p>`
      : html`<p>Which sync or pull?</p>
          <ul>
            ${links}
          </ul>`;
  return { title: "Runs", main };
}

/** Says that there are older runs than those shown. */
function older(sync: string): Html {
  return html`<p>These are the newest ${runsMax}. More of them:</p>
    ${commandHtml("runs", "list", "--sync", sync, "--limit", "1000")}`;
}

/** The newest runs of a sync or pull; if none is named, asks which. */
export async function runsPage(sight: Sight, { sync = "" }: UiAsked): Promise<UiPage> {
  if (sync.trim() === "") return whoseRuns(sight);
  const { state, config } = sight;
  await assertKnownName(state, config, sync);
  const which = { target: targetOf(config.api), sync };
  const found = await state.runFigures({ ...which, limit: runsMax + 1 });
  const figures = found.slice(0, runsMax);
  const headings = ["Begun", "Outcome", "Kind", "Read", "Sent or written", "Unchanged"];
  const rows = await Promise.all(figures.map(async (run) => await rowOf(sight, run)));
  const main =
    figures.length === 0
      ? html`<p>There are no runs of ${sync} yet.</p>`
      : html`${runBars(sync, figures)}${tableHtml(
          `Runs of ${sync}`,
          [...headings, "Filtered or without a row", "Rejected"],
          rows,
        )}${found.length > runsMax ? older(sync) : undefined}`;
  return {
    title: `Runs of ${sync}`,
    main,
    isLive: figures.some(({ outcome }) => outcome === null),
  };
}
