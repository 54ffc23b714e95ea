import { problemCharsMax, wrongInput } from "../../failure-types.ts";
import { plainText } from "../../text/plain-text.ts";

/** Something wrong with an input, and what to do about it. */
export type Fault = {
  /** The member it is of: `from`, `keys[2]`. Undefined where it is the input as a whole. */
  readonly at?: string | undefined;
  readonly message: string;
};

/** Characters that are shown of a value that may be anything (our choice). */
const quotedCharsMax = 60;

/** What stands around the faults: the heading, the corrected input's, and how many faults are left out. */
const frameChars = 100;

/** Foreign text in quotes: one line, cut where it is long. */
export function quoted(text: string): string {
  // Cut before it is looked through, because it may be of any length.
  const start = plainText(text.slice(0, quotedCharsMax)).toWellFormed();
  return text.length > quotedCharsMax ? `"${start}…"` : `"${start}"`;
}

/** Names in a row as far as there is room, and how many more there are. */
export function listed(names: readonly string[], charsMax: number): string {
  const shown: string[] = [];
  let chars = 0;
  for (const name of names) {
    chars += name.length + 2;
    if (chars > charsMax) break;
    shown.push(name);
  }
  const more = names.length - shown.length;
  return more === 0 ? shown.join(", ") : [...shown, `and ${String(more)} more`].join(", ");
}

function lineOf({ at, message }: Fault): string {
  return at === undefined ? `✖ ${message}\n` : `✖ ${message}\n  → at ${at}\n`;
}

/**
 * Says every fault of an input, as many as there is room for, and gives the corrected input, where there can be one, to paste. `remark`
 * says what of the input the corrected one does not hold.
 */
export function problemOf(
  faults: readonly Fault[],
  { corrected, remark = "" }: { readonly corrected?: object | undefined; readonly remark?: string },
): string {
  const example = corrected === undefined ? "" : JSON.stringify(corrected);
  const room = problemCharsMax - frameChars - example.length - remark.length;
  const lines: string[] = [];
  let chars = 0;
  for (const line of faults.map(lineOf)) {
    chars += line.length;
    if (chars > room) break;
    lines.push(line);
  }
  const more = faults.length - lines.length;
  if (more > 0) lines.push(`✖ and ${String(more)} more\n`);
  const text = lines.join("") + remark;
  return corrected === undefined ? wrongInput(text.trimEnd()) : wrongInput(text, corrected);
}
