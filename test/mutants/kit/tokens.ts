/** A token of TypeScript, with as much of its grammar as mutants need. */
export type Token = {
  /** A `template` is one of its texts with its delimiters: from the backtick or `}` to the backtick or `${`. */
  readonly kind: "word" | "number" | "string" | "template" | "regex" | "mark";
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

/** The code of a file without its comments. */
export type Code = {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** For the index of each token that opens a bracket, the index of the one that closes it. */
  readonly closings: ReadonlyMap<number, number>;
  /** The reverse. A text in the middle of a template closes one bracket and opens another. */
  readonly openings: ReadonlyMap<number, number>;
};

const blank = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;
const templateText = /(?:[^\\`$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y;
const regex = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

const kinds: readonly (readonly [kind: Token["kind"], pattern: RegExp])[] = [
  ["string", /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y],
  ["number", /(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:e\d+)?)n?/iy],
  ["word", /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy],
  [
    "mark",
    /=>|\.\.\.|[=!]==?|\*\*|&&=?|\|\|=?|\?\?=?|\?\.(?!\d)|\+\+|--|[-+*/%<>]=|[-+*/%=<>!?:;,.&|^~()[\]{}]/y,
  ],
];

/** Words after which a value begins. */
const beforeValue = new Set(["return", "typeof", "case", "in", "of", "await", "yield", "void"]);

/** Reads code in the formatter's layout. @throws {SyntaxError} it holds unknown syntax. */
export function readCode(text: string): Code {
  const tokens: Token[] = [];
  const closings = new Map<number, number>();
  const openings = new Map<number, number>();
  const open: number[] = [];
  const take = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  let at = take(blank, 0)?.length ?? 0;
  while (at < text.length) {
    const isInTemplate = tokens[open.at(-1) ?? -1]?.kind === "template";
    const found = nextOf({ text, at, previous: tokens.at(-1), isInTemplate }, take);
    if (found === undefined) throw new SyntaxError(`no known code at ${at}`);
    const end = at + found.text.length;
    const index = tokens.push({ ...found, start: at, end }) - 1;
    if (closes(found)) {
      const other = open.pop();
      if (other === undefined) throw new SyntaxError(`nothing is open at ${at}`);
      closings.set(other, index);
      openings.set(index, other);
    }
    if (opens(found)) open.push(index);
    at = end + (take(blank, end)?.length ?? 0);
  }
  if (open.length > 0) throw new SyntaxError("a bracket is never closed");
  return { text, tokens, closings, openings };
}

type Found = Pick<Token, "kind" | "text">;

function nextOf(
  where: {
    readonly text: string;
    readonly at: number;
    readonly previous: Token | undefined;
    readonly isInTemplate: boolean;
  },
  take: (pattern: RegExp, at: number) => string | undefined,
): Found | undefined {
  const { text, at, previous, isInTemplate } = where;
  const char = text[at];
  if (char === "`" || (char === "}" && isInTemplate)) {
    const rest = take(templateText, at + 1);
    return rest === undefined ? undefined : { kind: "template", text: `${char}${rest}` };
  }
  if (char === "/" && isBeforeValue(previous)) {
    const found = take(regex, at);
    if (found !== undefined) return { kind: "regex", text: found };
  }
  for (const [kind, pattern] of kinds) {
    const found = take(pattern, at);
    if (found !== undefined) return { kind, text: found };
  }
  return undefined;
}

/** Whether a value may follow a token: then a slash begins a regular expression. */
function isBeforeValue(token: Token | undefined): boolean {
  if (token === undefined) return true;
  if (token.kind === "word") return beforeValue.has(token.text);
  return token.kind === "mark" && !/^[)\]}]$/.test(token.text);
}

function opens({ kind, text }: Found): boolean {
  return kind === "template" ? text.endsWith("${") : kind === "mark" && /^[([{]$/.test(text);
}

function closes({ kind, text }: Found): boolean {
  return kind === "template" ? text.startsWith("}") : kind === "mark" && /^[)\]}]$/.test(text);
}
