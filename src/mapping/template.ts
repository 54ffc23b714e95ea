import { stringOf } from "./coerce.ts";
import type { CoercionRefusal } from "./refusal.ts";

/** A piece of a template: literal text, or a column to fill in. */
export type TemplatePart = { readonly text: string } | { readonly column: string };

const pieces = /\{\{|\}\}|\{([^{}]+)\}|[^{}]+|[{}]/g;

/**
 * Takes "{first} {last}" apart; `{{` and `}}` are literal braces. Undefined if a brace has no partner or names nothing.
 */
export function parseTemplate(template: string): readonly TemplatePart[] | undefined {
  const parts: TemplatePart[] = [];
  for (const [piece, column] of template.matchAll(pieces)) {
    if (piece === "{" || piece === "}") return undefined;
    if (column !== undefined) parts.push({ column });
    else parts.push({ text: piece === "{{" || piece === "}}" ? piece.charAt(0) : piece });
  }
  return parts;
}

/** Fills a template from a row; empty columns add nothing, and if all are empty so is the result. */
export function fillTemplate(
  parts: readonly TemplatePart[],
  valueOf: (column: string) => unknown,
): string | CoercionRefusal {
  let filled = "";
  let isEmpty = true;
  for (const part of parts) {
    if ("text" in part) {
      filled += part.text;
      continue;
    }
    const value = valueOf(part.column);
    if (value === "" || value === null || value === undefined) continue;
    const text = stringOf(value);
    if (typeof text !== "string") return text;
    isEmpty = false;
    filled += text;
  }
  return isEmpty ? "" : filled;
}
