import { z } from "zod";

import type { Mistake } from "../../config/messages/mistakes.ts";
import { problemCharsMax, wrongInput } from "../../failure-types.ts";
import { plainText } from "../../text/plain-text.ts";

/** A fault of an input, and what to do about it; without a path it concerns the input as a whole. */
export type InputFault = Pick<Mistake, "message" | "path">;

/** Characters shown of a value that may be anything (our choice). */
const quotedCharsMax = 60;

/** Characters around the faults: the headings, and the line that counts the faults left out. */
const frameChars = 100;

/** Foreign text in quotes: on one line, cut if it is long. */
export function quoted(text: string): string {
  // Cut before it is searched, because it may be of any length.
  const start = plainText(text.slice(0, quotedCharsMax)).toWellFormed();
  return text.length > quotedCharsMax ? `"${start}…"` : `"${start}"`;
}

/**
 * The first of some texts, as many as fit into `charsMax` characters together; `more` says how many are left
 * out, if any are.
 */
export function fitting(
  texts: Iterable<string>,
  charsMax: number,
): { readonly shown: readonly string[]; readonly more: readonly string[] } {
  const all = [...texts];
  let chars = 0;
  const shown = all.filter((text) => {
    chars += text.length;
    return chars <= charsMax;
  });
  const left = all.length - shown.length;
  return { shown, more: left === 0 ? [] : [`and ${String(left)} more`] };
}

/**
 * Lists the faults of an input, as many as there is room for, and gives the corrected input to paste.
 * `remark` says what the corrected input leaves out.
 */
export function problemOf(
  faults: readonly InputFault[],
  { corrected, remark }: { readonly corrected: object; readonly remark: string },
): string {
  const lines = new Map<string, string>();
  for (const { path, message } of faults) {
    const place = path.length === 0 ? "" : `\n  → at ${z.core.toDotPath(path)}`;
    // One of a thousand wrong keys is enough.
    const kind = `${String(path[0])} ${message}`;
    if (!lines.has(kind)) lines.set(kind, `✖ ${message}${place}\n`);
  }
  const room = problemCharsMax - frameChars - JSON.stringify(corrected).length - remark.length;
  const { shown, more } = fitting(lines.values(), room);
  const text = [...shown, ...more.map((line) => `✖ ${line}\n`)].join("");
  return wrongInput(text + remark, corrected);
}
