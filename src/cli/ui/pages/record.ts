import { sourcesOf } from "../../../../connectors/registry.ts";
import { connectorOf } from "../../../../connectors/source.ts";
import { syncNamed } from "../../named.ts";
import { explainedFacts, isUnheardOf } from "../../run/explain-text.ts";
import { explain, type Explained } from "../../run/explained.ts";
import { html, type Html } from "../html.ts";
import type { UiPage } from "../layout.ts";
import type { UiAsked } from "../server.ts";
import type { Sight } from "../sight.ts";
import { commandHtml } from "../words.ts";

/** How long the source may take to find a row, in ms. */
const sourceAnswerMsMax = 10_000;

function searchHtml({ config }: Sight, { sync = "", name = "" }: UiAsked): Html {
  const names = [...config.syncs.keys()];
  return html`<form class="filter" action="/record" method="get" role="search">
    <label
      >Sync<select name="sync">
        ${names.map((each) =>
          each === sync ? html`<option selected>${each}</option>` : html`<option>${each}</option>`,
        )}
      </select></label
    >
    <label
      >Key, or place such as ./customers.csv:78<input name="name" value="${name}" size="40"
    /></label>
    <button>Explain</button>
  </form>`;
}

/** Leaves out the names of files at the service, and the record if rows are not to be shown. */
function factsToShow(explained: Explained, { showsRows }: Sight): Explained {
  const keys = explained.keys.map(({ sender, ...key }) => ({
    ...key,
    sender: sender && {
      ...sender,
      parts: sender.parts.map((part) => ({ ...part, fileKey: null })),
    },
  }));
  if (showsRows) return { ...explained, keys };
  const rows = explained.rows?.map((row) => (row.is === "record" ? { ...row, record: {} } : row));
  return { ...explained, rows, keys };
}

async function factsHtml(sight: Sight, { sync: named, name = "" }: UiAsked): Promise<Html> {
  const { config, state, showsRows } = sight;
  const sync = syncNamed(config, named);
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  const answerMsMax = sourceAnswerMsMax;
  const found = await explain({ config, sync, source, name, scans: false, answerMsMax }, state);
  if (found.failed !== undefined && isUnheardOf(found)) throw found.failed;
  const facts = explainedFacts(factsToShow(found, sight), sync).map(([what, text]) => {
    const isRecord = what === "mapping" && text.startsWith("{");
    return isRecord && !showsRows
      ? ([what, "makes a record of it; `sluice ui --show-rows` shows it"] as const)
      : ([what, text] as const);
  });
  return html`<h2>${sync.name}, ${name}</h2>
    <dl class="facts">
      ${facts.map(
        ([what, text]) =>
          html`<dt>${what}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>
    <h2>The same in a terminal</h2>
    ${commandHtml("explain", sync.name, ...(name.startsWith("-") ? ["--"] : []), name)}`;
}

/** What became of a record: `sluice explain` with a search box. @throws {SluiceError} also errors of its source. */
export async function recordPage(sight: Sight, asked: UiAsked): Promise<UiPage> {
  const { name = "" } = asked;
  if (sight.config.syncs.size === 0) {
    return { title: "Record", main: html`<p>Nothing is configured under <code>syncs:</code>.</p>` };
  }
  const facts = name.trim() === "" ? undefined : await factsHtml(sight, asked);
  const main = html`<p>
      What the source has of a key now, what the mapping makes of it, what the service is known to
      hold and who sent it, its rejects, and what the next run does with it.
    </p>
    ${searchHtml(sight, asked)}${facts}`;
  return { title: "Record", main };
}
