import type { z } from "zod";

import type { ConfigDocument, Path } from "../document/document.ts";
import { inputJsonSchema, memberNames } from "../schema/member-names.ts";
import { membersOf } from "../schema/members.ts";
import { didYouMean, isSameWord } from "./did-you-mean.ts";
import type { Problem } from "./problems.ts";
import { nameOnly } from "./shown-text.ts";
import { isOfWrongValue, kindNamed, kindOf, wordingOf } from "./wording.ts";

/** Something wrong with the value at a path, or with the name before it. */
export type Mistake = {
  readonly path: Path;
  readonly on: "name" | "value";
  readonly message: string;
};

/** The result of checking data against a schema: its output, or every mistake. */
export type Checked<Output> = {
  /** Undefined when there are mistakes. */
  readonly output: Output | undefined;
  readonly mistakes: readonly Mistake[];
};

/** Parses data and describes its mistakes in plain words. */
export function checkData<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
): Checked<z.output<Schema>> {
  const { success, data: output, error } = schema.safeParse(data, { error: wordingOf });
  if (success) return { output, mistakes: [] };
  let described: z.core.JSONSchema.BaseSchema | undefined;
  const namesAt = (path: Path): readonly string[] => {
    described ??= inputJsonSchema(schema);
    return memberNames(described, path);
  };
  const mistakes = error.issues.flatMap((issue) => mistakesOf(issue, { namesAt, data, path: [] }));
  return { output: undefined, mistakes };
}

/** Mistakes as problems at their places in a document, except for values with a problem that is already known. */
export function problemsAt(
  document: ConfigDocument,
  mistakes: readonly Mistake[],
): readonly Problem[] {
  return mistakes.flatMap(({ path, on, message }): readonly Problem[] => {
    const offset = document.offsetOf(path, on);
    if (offset === undefined) return [];
    const name = String(path.at(-1));
    const field = on === "name" ? [...path.slice(0, -1), nameOnly(name)] : path;
    return [{ offset, message, field: field.join(".") }];
  });
}

/** The message for a name that no member has, which may hold a value by mistake. */
function unknownMember(name: string, known: readonly string[]): string {
  // A blank may stand for the underscore of a known name.
  const word = known.some((each) => isSameWord(each, name)) ? name : nameOnly(name);
  const why = word === name ? "" : ": a colon and a blank belong between a name and its value";
  return `unknown member "${word}"${why || didYouMean(name, known)}`;
}

type Context = {
  /** The names of the members that may be at a path. */
  readonly namesAt: (path: Path) => readonly string[];
  readonly data: unknown;
  /** Where the issue's own path begins. */
  readonly path: Path;
};

function mistakesOf(issue: z.core.$ZodIssue, context: Context): readonly Mistake[] {
  const path = [...context.path, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const known = context.namesAt(path);
    return issue.keys.map((name) => ({
      path: [...path, name],
      on: "name",
      message: unknownMember(name, known),
    }));
  }
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => ({ path, on: "name", message }));
  }
  if (issue.code === "invalid_union") {
    return unionMistakes(issue, { ...context, path });
  }
  if (isOfWrongValue(issue) && valueAt(context.data, path) === undefined) {
    return [missing(path, issue.message)];
  }
  return [{ path, on: "value", message: issue.message }];
}

/** The mistake of a missing value; the schema's own words say what is expected. */
function missing(path: Path, wanted = ""): Mistake {
  const why = wanted === "" ? "" : `: ${wanted}`;
  return { path, on: "name", message: `"${String(path.at(-1))}" is missing${why}` };
}

/**
 * The mistakes of the alternative that was most likely meant: it is of the value's kind and has the fewest mistakes,
 * with literals last. The union's own words are used only when there is none.
 */
function unionMistakes(issue: z.core.$ZodIssueInvalidUnion, context: Context): readonly Mistake[] {
  const [best] = issue.errors
    .filter((issues) => !issues.some(isOfOtherKind))
    .map((issues) => ({
      mistakes: issues.flatMap((inner) => mistakesOf(inner, context)),
      isLiteral: issues.some(({ code, path }) => code === "invalid_value" && path.length === 0),
    }))
    .toSorted(
      (a, b) => Number(a.isLiteral) - Number(b.isLiteral) || a.mistakes.length - b.mistakes.length,
    );
  if (best !== undefined) return best.mistakes;
  const value = valueAt(context.data, context.path);
  if (value === undefined) return [missing(context.path)];
  const kinds = issue.errors
    .flat()
    .flatMap((inner) => (isOfOtherKind(inner) ? kindNamed(inner.expected) : []));
  const message =
    issue.message || `must be ${[...new Set(kinds)].join(" or ")}, not ${kindOf(value)}`;
  return [{ path: context.path, on: "value", message }];
}

function isOfOtherKind(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === "invalid_type" && issue.path.length === 0;
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)] as unknown;
    const members = membersOf(value);
    return Object.hasOwn(members, step) ? members[String(step)] : undefined;
  }, data);
}
