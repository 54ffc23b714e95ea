import { stylesheet } from "./stylesheet.ts";

/**
 * Fetches a live page again, and takes over its content if that changed, without disturbing anybody who reads or types
 * in it. Nothing depends on it: without JavaScript the browser reloads the page.
 */
const live = `"use strict";
const everyMs = 2000;
async function look() {
  const main = document.querySelector("main[data-live]");
  if (main === null) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const isRead = main.contains(document.activeElement) || getSelection().toString() !== "";
    if (answer.ok && next !== null && !isRead && next.innerHTML !== main.innerHTML) main.replaceWith(next);
  } catch {
    // It is tried again: sluice ui may be stopped.
  }
  setTimeout(look, everyMs);
}
setTimeout(look, everyMs);
`;

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1a6fd4"/>' +
  '<path d="M3 6h10M3 10h6" stroke="#fff" stroke-width="2"/></svg>';

/** The files that pages need besides themselves, by path. */
export const assets: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "/style.css": { type: "text/css; charset=utf-8", text: stylesheet },
  "/live.js": { type: "text/javascript; charset=utf-8", text: live },
  "/icon.svg": { type: "image/svg+xml", text: icon },
};
