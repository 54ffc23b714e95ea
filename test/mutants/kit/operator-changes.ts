import type { Change, ChangeKind } from "./change.ts";
import type { Code, Token } from "./tokens.ts";

/** Operators between two values, and those easily written instead. */
const between: readonly (readonly [ChangeKind, Readonly<Record<string, readonly string[]>>])[] = [
  [
    "comparison",
    {
      "<": ["<=", ">="],
      "<=": ["<", ">"],
      ">": [">=", "<="],
      ">=": [">", "<"],
      "===": ["!=="],
      "!==": ["==="],
    },
  ],
  ["and, or", { "&&": ["||"], "||": ["&&"] }],
  ["one more or less", { "+": ["-"], "-": ["+"], "+=": ["-="], "-=": ["+="] }],
];

/** Words with an opposite. */
const others: Readonly<Record<string, readonly [ChangeKind, string]>> = {
  true: ["true, false", "false"],
  false: ["true, false", "true"],
  some: ["and, or", "every"],
  every: ["and, or", "some"],
  min: ["comparison", "max"],
  max: ["comparison", "min"],
};

/** Changes of single operators, numbers and words. Changes inside types do not affect running code. */
export function operatorChanges(code: Code): readonly Change[] {
  return code.tokens.flatMap((token, index) => {
    if (token.kind === "number") return numberChanges(token);
    if (token.kind === "word") return wordChanges(code, token, index);
    if (token.kind !== "mark") return [];
    if (token.text === "!") return [change("negation", token, "")];
    if (token.text === "??") return defaultChanges(code, token, index);
    return isBetween(code, token) ? betweenChanges(token) : [];
  });
}

function change(kind: ChangeKind, { start, end }: Token, replacement: string): Change {
  return { kind, start, end, replacement };
}

/** The formatter puts spaces around operators between two values, and none around the brackets of types. */
function isBetween({ text }: Code, { start, end }: Token): boolean {
  return /\s/.test(text[start - 1] ?? "") && /\s/.test(text[end] ?? "");
}

function betweenChanges(token: Token): readonly Change[] {
  return between.flatMap(([kind, swaps]) =>
    (swaps[token.text] ?? []).map((swap) => change(kind, token, swap)),
  );
}

/** One more or less does not matter for a large limit. */
function numberChanges(token: Token): readonly Change[] {
  if (!/^\d$/.test(token.text)) return [];
  const value = Number(token.text);
  return [value + 1, value - 1]
    .filter((other) => other >= 0)
    .map((other) => change("one more or less", token, String(other)));
}

function wordChanges({ tokens }: Code, token: Token, index: number): readonly Change[] {
  const other = Object.hasOwn(others, token.text) ? others[token.text] : undefined;
  if (other === undefined) return [];
  const [kind, text] = other;
  const isMember = tokens[index - 1]?.text === "." && tokens[index + 1]?.text === "(";
  const isName = tokens[index - 1]?.text === "." || tokens[index + 1]?.text === ":";
  return (kind === "true, false" ? !isName : isMember) ? [change(kind, token, text)] : [];
}

/** A default that is a number, an empty text or a boolean becomes another; otherwise the value itself is left out. */
function defaultChanges({ tokens }: Code, token: Token, index: number): readonly Change[] {
  const value = tokens[index + 1];
  if (value?.text === '""') return [change("default", value, '"?"')];
  // Numbers and booleans are changed elsewhere.
  if (value?.kind === "number" || value?.text === "true" || value?.text === "false") return [];
  return [change("default", token, "&&")];
}
