import { stripVTControlCharacters } from "node:util";

import type { Outcome } from "../../state/contract/runs/runs.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { html, Html } from "./html.ts";

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
export function outcomeHtml(outcome: Outcome | "held" | "running"): Html {
  return html`<span class="state ${tones[outcome]}">${outcomeText(outcome)}</span>`;
}

/** The path of a run's page. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** Lines as a terminal shows them, without colours. */
export function terminalText(text: string): Html {
  const lines = stripVTControlCharacters(text).trim().split("\n");
  return html`<pre>${lines.map((line, at) => [at === 0 ? "" : new Html("\n"), line])}</pre>`;
}

/** A command to paste, each word quoted for a shell where it has to be. */
export function commandHtml(...words: readonly string[]): Html {
  const quoted = words.map((word) =>
    /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  return html`<pre><code>sluice ${quoted.join(" ")}</code></pre>`;
}

/** A table with a heading for each column; a wide one scrolls by itself. */
export function tableHtml(
  label: string,
  headings: readonly string[],
  rows: readonly (readonly (Html | number | string)[])[],
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = "", ...rest]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${rest.map((cell) =>
                typeof cell === "number" || (typeof cell === "string" && /^[\d,]+$/.test(cell))
                  ? html`<td class="number">${cell}</td>`
                  : html`<td>${cell}</td>`,
              )}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}
