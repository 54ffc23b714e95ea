import { didYouMean } from "../messages/did-you-mean.ts";

/** The variables that `${VAR}` may name: the environment, which overrides the `.env` file. */
export type Variables = ReadonlyMap<string, string>;

/** Something wrong with a `${…}`. */
export type VariableMistake = {
  /** The index of the reference among the text's references, from 0, escapes counted. */
  readonly ordinal: number;
  readonly message: string;
};

/** A text with its variables filled in; meaningless where there are mistakes. */
export type Interpolated = {
  readonly text: string;
  readonly mistakes: readonly VariableMistake[];
};

// The alternatives are in this order: an escape, a variable with or without a default, anything else that
// looks like one.
const reference =
  /\$\$\{|\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>(?:(?!\$\{)[^}])*))?\}|\$\{[^}]*\}?/g;

/** A text that is a variable without braces, as in a shell, `$FORMS_SECRET`: it is not filled in. */
const bareName = /^\$(?<name>[A-Z][A-Z0-9_]*)$/;

/** A text as a configuration has to say it, so that it stands for itself and for no variable. */
export function literal(text: string): string {
  return bareName.test(text) ? `\${NONE:-${text}}` : text.replaceAll("${", () => "$${");
}

/**
 * Reports a variable without its braces: used as a secret, the name of the variable could be guessed by anybody. A name
 * of one word may be a plain text, unless there is such a variable.
 */
function bareMistake(text: string, variables: Variables): VariableMistake | undefined {
  const name = bareName.exec(text)?.groups?.["name"];
  if (name === undefined || !(name.includes("_") || variables.has(name))) return undefined;
  const message = `lacks its braces: write \${${name}} for the variable, or \${NONE:-$${name}} for this text`;
  return { ordinal: 0, message };
}

/**
 * Fills `${VAR}` and `${VAR:-default}` into a text; `$${` stands for `${`. The default applies when the variable is
 * unset or empty, as in a shell; without one, an unset variable is a mistake.
 */
export function interpolate(text: string, variables: Variables): Interpolated {
  const bare = bareMistake(text, variables);
  const mistakes: VariableMistake[] = bare === undefined ? [] : [bare];
  let filled = "";
  let end = 0;
  for (const [ordinal, match] of [...text.matchAll(reference)].entries()) {
    const { value, message } = resolve(match, variables);
    filled += text.slice(end, match.index) + value;
    end = match.index + match[0].length;
    if (message !== undefined) mistakes.push({ ordinal, message });
  }
  return { text: filled + text.slice(end), mistakes };
}

/** The indices of a text's references, escapes counted. */
export function referencesIn(text: string): readonly number[] {
  return [...text.matchAll(reference)].map((match) => match.index);
}

/** The names of the variables a text refers to, in order. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(reference)].flatMap((match) => match.groups?.["name"] ?? []);
}

type Resolved = { readonly value: string; readonly message?: string };

function resolve(match: RegExpExecArray, variables: Variables): Resolved {
  const [token] = match;
  const { name, fallback } = match.groups ?? {};
  if (token === "$${") return { value: "${" };
  if (name === undefined) {
    return {
      value: token,
      message: "must be ${NAME} or ${NAME:-default}; write $${ for a plain ${",
    };
  }
  const value = variables.get(name);
  if (fallback !== undefined)
    return { value: value === undefined || value === "" ? fallback : value };
  if (value !== undefined) return { value };
  const hint = didYouMean(name, variables.keys());
  return { value: token, message: `variable ${name} is not set${hint}` };
}
