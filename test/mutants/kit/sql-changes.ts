import type { Change } from "./change.ts";
import type { Code, Token } from "./tokens.ts";

/** How SQL text begins. */
const isSql = /^["`]\s*\(?(?:select|with|update|insert|delete|where)\b/;

const swaps: readonly (readonly [pattern: RegExp, replacements: readonly string[]])[] = [
  [/(?<= )<=(?= )/g, ["<"]],
  [/(?<= )<(?= )/g, ["<="]],
  [/(?<= )>=(?= )/g, [">"]],
  [/(?<= )>(?= )/g, [">="]],
  [/(?<= )=(?= )/g, ["<>"]],
  [/(?<= )<>(?= )/g, ["="]],
  [/(?<= )and(?= )/g, ["or"]],
  [/(?<= )or(?= )/g, ["and"]],
  [/ desc\b/g, [" asc"]],
  [/ asc\b/g, [" desc"]],
  [/\bnot (?=in|null|exists)/g, [""]],
  [/(?<=\blimit )1\b/g, ["2", "0"]],
];

/** Operators that are strings of their own, to be inserted into a statement. */
const alone: Readonly<Record<string, readonly string[]>> = {
  '"<"': ['"<="'],
  '"<="': ['"<"'],
  '">"': ['">="'],
  '">="': ['">"'],
};

/** Changes inside the statements of a file. */
export function sqlChanges(code: Code): readonly Change[] {
  return code.tokens.flatMap((token, index) => {
    const whole = wholeText(code, token, index);
    const operators = alone[token.text];
    if (token.kind === "string" && operators !== undefined) {
      const { start, end } = token;
      return operators.map((replacement) => ({ kind: "SQL", start, end, replacement }));
    }
    return isSql.test(whole) ? textChanges(token) : [];
  });
}

/** All text of the template that a token is part of, or of the string that it is. */
function wholeText(code: Code, token: Token, index: number): string {
  const { tokens, closings, openings, text } = code;
  if (token.kind === "string") return token.text;
  if (token.kind !== "template") return "";
  let [first, last] = [index, index];
  while (tokens[first]?.text.startsWith("}") === true) first = openings.get(first) ?? 0;
  while (tokens[last]?.text.endsWith("${") === true) last = closings.get(last) ?? tokens.length;
  return text.slice(tokens[first]?.start, tokens[last]?.end);
}

function textChanges({ text, start }: Token): readonly Change[] {
  return swaps.flatMap(([pattern, replacements]) =>
    [...text.matchAll(pattern)].flatMap((found) =>
      replacements.map((replacement) => ({
        kind: "SQL" as const,
        start: start + found.index,
        end: start + found.index + found[0].length,
        replacement,
      })),
    ),
  );
}
