import type { Change } from "./change.ts";
import type { Code, Token } from "./tokens.ts";

/** Words that begin something that cannot be left out, or whose removal leaves nothing that compiles. */
const kept = new Set(
  `const let var return if else for while do switch case default try catch finally function class extends
  export import type interface async static get set readonly private public constructor declare`.split(
    /\s+/,
  ),
);

/** Changes of statements, conditions, lists and arguments. */
export function structureChanges(code: Code): readonly Change[] {
  return code.tokens.flatMap((token, index) => {
    switch (token.text) {
      case "if":
        return conditionChanges(code, index + 1);
      case "finally":
        return emptied(code, { open: index + 1, kind: "`finally` emptied", empty: "{}" });
      case "[":
        return isList(code, index)
          ? emptied(code, { open: index, kind: "list emptied", empty: "[]" })
          : [];
      case "slice":
      case "subarray":
        return argumentChanges(code, index + 1);
      default:
        return statementChanges(code, index);
    }
  });
}

/** The text from one token to another, both included. */
function between(
  { tokens, text }: Code,
  first: number,
  last: number,
): Omit<Change, "kind"> & {
  readonly text: string;
} {
  const [start, end] = [tokens[first]?.start ?? 0, tokens[last]?.end ?? 0];
  return { start, end, text: text.slice(start, end), replacement: "" };
}

/** A condition that is always true or never, or is negated. */
function conditionChanges(code: Code, open: number): readonly Change[] {
  const close = code.closings.get(open);
  if (code.tokens[open]?.text !== "(" || close === undefined) return [];
  const { start, end, text } = between(code, open, close);
  return ["(true)", "(false)", `(!${text})`].map((replacement) => ({
    kind: "condition",
    start,
    end,
    replacement,
  }));
}

function emptied(
  code: Code,
  { open, kind, empty }: { open: number; kind: Change["kind"]; empty: string },
): readonly Change[] {
  const close = code.closings.get(open);
  if (close === undefined || close === open + 1) return [];
  const { start, end } = between(code, open, close);
  return [{ kind, start, end, replacement: empty }];
}

/** Whether a bracket begins a list, rather than destructuring or an index. */
function isList({ tokens }: Code, index: number): boolean {
  const before = tokens[index - 1];
  return before?.kind === "mark"
    ? /^(?:[(,=?:]|=>|\?\?|\.\.\.)$/.test(before.text)
    : before?.text === "return";
}

/** Swaps two arguments. */
function argumentChanges(code: Code, open: number): readonly Change[] {
  const { tokens, closings } = code;
  const close = closings.get(open);
  if (tokens[open]?.text !== "(" || tokens[open - 2]?.text !== "." || close === undefined)
    return [];
  const commas: number[] = [];
  for (let at = open + 1; at < close; at += 1) {
    while (closings.has(at)) at = closings.get(at) ?? at;
    if (tokens[at]?.text === ",") commas.push(at);
  }
  const [comma] = commas;
  if (comma === undefined || commas.length !== 1 || comma + 1 === close) return [];
  const [one, other] = [between(code, open + 1, comma - 1), between(code, comma + 1, close - 1)];
  const replacement = `${other.text}, ${one.text}`;
  return [{ kind: "arguments", start: one.start, end: other.end, replacement }];
}

/** A statement at the start of a line that calls, sets or throws something. */
function statementChanges(code: Code, index: number): readonly Change[] {
  const { tokens, text } = code;
  const [before, first] = [tokens[index - 1], tokens[index]];
  if (first?.kind !== "word" || kept.has(first.text) || !beginsLine(text, first)) return [];
  if (before === undefined || !/^(?:[;{})]|=>)$/.test(before.text)) return [];
  const last = endOf(code, index);
  if (last === undefined) return [];
  const { start, end } = between(code, index, last);
  return [{ kind: "statement left out", start, end, replacement: ";" }];
}

function beginsLine(text: string, { start }: Token): boolean {
  return text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim() === "";
}

/** The index of the semicolon that ends a statement; undefined for a part of something else. */
function endOf({ tokens, closings, openings }: Code, index: number): number | undefined {
  for (let at = index; at < tokens.length; at += 1) {
    // Each text of a template opens it again.
    while (closings.has(at)) at = closings.get(at) ?? at;
    const text = tokens[at]?.text;
    if (text === ";") return at;
    if (text === "," || (openings.get(at) ?? index) < index) return undefined;
  }
  return undefined;
}
