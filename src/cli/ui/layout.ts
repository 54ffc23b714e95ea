import { version } from "../../version.ts";
import { html, type Html } from "./html.ts";

/** One page, as it goes into the frame that all pages share. */
export type UiPage = {
  readonly title: string;
  /** The content, below the heading. */
  readonly main: Html;
  /** Whether it shows something that is in progress: it then refreshes itself. */
  readonly isLive?: boolean;
  /** @default 200 */
  readonly status?: number;
};

const places = [
  ["/", "Overview"],
  ["/rejects", "Rejects"],
  ["/record", "Record"],
  ["/held", "Held"],
] as const;

/** How often a browser without JavaScript fetches a live page again. */
const refreshSeconds = 5;

/** The whole document. `path` is the page's own, without its query. */
export function document({ title, main, isLive = false }: UiPage, path: string): string {
  const again = html`<noscript
    ><meta http-equiv="refresh" content="${refreshSeconds}"
  /></noscript>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – sluice</title>
        <link rel="stylesheet" href="/style.css" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <script src="/live.js" defer></script>
        ${isLive ? again : undefined}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <b>sluice</b>
          <nav aria-label="Pages">
            ${places.map(([to, name]) =>
              to === path
                ? html`<a href="${to}" aria-current="page">${name}</a>`
                : html`<a href="${to}">${name}</a>`,
            )}
          </nav>
        </header>
        <main id="main" ${isLive ? html` data-live` : undefined}>
          <h1>${title}</h1>
          ${main}
        </main>
        <footer>
          sluice ${version}. These pages change nothing: each possible action is shown as a command
          to paste.
        </footer>
      </body>
    </html> `.text;
}
