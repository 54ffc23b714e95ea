import { targetOf } from "../../../config/config.ts";
import { ConfigError } from "../../../errors.ts";
import { ourRejectCodes } from "../../../records/reject-codes.ts";
import type { RejectsWhere, StoredReject } from "../../../state/contract/rejects/rejects.ts";
import { rejectState } from "../../run/reject-text.ts";
import { assertKnownName } from "../../run/runs.ts";
import { isDay } from "../../since.ts";
import { minuteText } from "../../status/transfer.ts";
import { html, linkTo, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { UiAsked } from "../server.ts";
import type { Sight } from "../sight.ts";
import { commandHtml, runPath, tableHtml } from "../words.ts";

/** How many rejects are on a page. */
const rejectsMax = 50;

/** Characters of a row, or of another text of the source, that a page shows: it stays below 100 kB. */
const rowCharsMax = 800;

function cut(text: string): string {
  return text.length <= rowCharsMax ? text : `${text.slice(0, rowCharsMax)}…`;
}

/** A day or a time from a form, as ISO 8601. @throws {ConfigError} it is neither. */
function timeAsked(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]{5,12}Z?)?$/.test(text) && isDay(text);
  const ms = isTime ? Date.parse(withZone(text)) : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new ConfigError(`${cut(text)} is not a day of the calendar`, {
    hint: "write it as 2026-11-20",
  });
}

/** A time without a zone is UTC, like every time that is shown. */
function withZone(text: string): string {
  return text.includes("T") && !text.endsWith("Z") ? `${text}Z` : text;
}

/** The last reject of the page before: `run.chunk.ordinal`. */
function afterAsked(text: string | undefined): RejectsWhere["after"] {
  const [, run, chunk, ordinal] = /^(.+)\.(\d{1,15})\.(\d{1,15})$/.exec(text ?? "") ?? [];
  return run === undefined ? undefined : { run, chunk: Number(chunk), ordinal: Number(ordinal) };
}

function option(value: string, chosen: string | undefined, text = value): Html {
  return value === (chosen ?? "")
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`;
}

function filterHtml({ config }: Sight, { sync, code, since, until, run }: UiAsked): Html {
  const names = [...config.syncs.keys(), ...config.pulls.keys()];
  const others = code === undefined || code === "" || ourRejectCodes.includes(code) ? [] : [code];
  return html`<form class="filter" action="/rejects" method="get">
    <label
      >Sync or pull<select name="sync">
        ${["", ...names].map((name) => option(name, sync, name === "" ? "all" : name))}
      </select></label
    >
    <label
      >Reason<select name="code">
        ${["", ...others, ...ourRejectCodes].map((each) => option(each, code, each === "" ? "all" : each))}
      </select></label
    >
    <label>Since (UTC)<input type="date" name="since" value="${since?.slice(0, 10)}" /></label>
    <label>Before (UTC)<input type="date" name="until" value="${until?.slice(0, 10)}" /></label>
    <label>Run<input name="run" value="${run}" /></label>
    <button>Show</button>
  </form>`;
}

function rowHtml(row: string | null, showsRows: boolean): Html | undefined {
  if (!showsRows || row === null) return undefined;
  return html`<details>
    <summary>its row</summary>
    <pre>${cut(row)}</pre>
  </details>`;
}

function rejectRow(reject: StoredReject, { showsRows }: Sight): Html[] {
  const { runId, place, key, code, field, reason, row, createdAt } = reject;
  return [
    html`<a href="${runPath(runId)}">${minuteText(createdAt)}</a>`,
    html`${cut(place)}${key === null ? undefined : html`<br /><span class="soft">key</span> <code>${cut(key)}</code>`}`,
    html`${field === null ? "" : `${field} `}${cut(reason)}<br /><code>${code}</code
      >${rowHtml(row, showsRows)}`,
    html`${rejectState(reject)}`,
  ];
}

/** The commands that read such rejects again, and that export them. */
function replayHtml(rejects: readonly StoredReject[], { code }: UiAsked): Html | undefined {
  const [first] = rejects;
  if (first === undefined) return undefined;
  const only = code === undefined || code === "" ? [] : ["--code", code];
  // A replay refuses a run without any, such as one of a pull.
  const open = rejects.find((reject) => rejectState(reject) === "open");
  const replay =
    open &&
    html`<p>
        Once the source or the mapping is right, this reads the rejected rows of a run again and
        sends what is valid then:
      </p>
      ${commandHtml("rejects", "replay", open.runId, ...only)}`;
  return html`<h2>What can be done</h2>
    ${replay}
    <p>All of them, with their rows, as a file:</p>
    ${commandHtml("rejects", "export", first.runId, "--out", "rejects.csv")}`;
}

/** Rejects of every run, newest first. @throws {ConfigError} a name is unknown, or a time is not valid. */
export async function rejectsPage(sight: Sight, asked: UiAsked): Promise<UiPage> {
  const { state, config, showsRows } = sight;
  const given = (name: string): string | undefined => asked[name]?.trim() || undefined;
  const [sync, code, run] = [given("sync"), given("code"), given("run")];
  await assertKnownName(state, config, sync);
  const [since, until] = [timeAsked(given("since")), timeAsked(given("until"))];
  // A run that is linked here may have sent to another address than the one of today.
  const named = run === undefined ? undefined : await state.run(run);
  const which = { target: named?.target ?? targetOf(config.api), sync, code, run, since, until };
  const found = await state.rejectsWhere({
    ...which,
    after: afterAsked(asked["after"]),
    limit: rejectsMax + 1,
  });
  const shown = found.slice(0, rejectsMax);
  const last = found.length > rejectsMax ? shown.at(-1) : undefined;
  const after = last === undefined ? undefined : `${last.runId}.${last.chunk}.${last.ordinal}`;
  const none = html`<p>There are no such rejects.</p>`;
  const table = html`${tableHtml(
    "Rejects",
    ["When", "Where", "Why", "State"],
    shown.map((reject) => rejectRow(reject, sight)),
  )}`;
  const older = html`<p>
    <a href="${linkTo("/rejects", { sync, code, run, since, until, after })}">older ones</a>
  </p>`;
  const main = html`${filterHtml(sight, asked)}
  ${shown.length === 0 ? none : table}${after === undefined ? undefined : older}
  ${showsRows ? undefined : html`<p class="soft">Their rows are shown by <code>sluice ui --show-rows</code>.</p>`}
  ${replayHtml(shown, asked)}`;
  return { title: "Rejects", main };
}
