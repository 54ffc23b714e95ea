import { inspect } from "node:util";

import { z } from "zod";

/** A member that must be secret, and whether its parsed value prints nothing of it. */
export type Secrecy = { readonly path: string; readonly isHidden: boolean };

/** Texts in the forms that a secret may need. */
const planted: readonly string[] = ["planted-5f1d7c", "planted5f1d7c0000000000000000000"];

/** Whether the schema hides a text in each member that is named like a secret and takes one. */
export function secretsOf(config: z.ZodType): readonly Secrecy[] {
  return membersOf(config, []).flatMap(({ path, schema }) => {
    if (!isNamedLikeSecret(path.at(-1) ?? "")) return [];
    const taken = planted.flatMap((text) => {
      const parsed = z.safeParse(schema, text);
      return parsed.success ? [hides(parsed.data, text)] : [];
    });
    return taken.length === 0
      ? []
      : [{ path: path.join("."), isHidden: taken.every((isSafe) => isSafe) }];
  });
}

/**
 * Whether the schema hides the texts that the harness's own config has for secrets, and addresses with a password in
 * them.
 */
export function secretsIn(schema: z.ZodType, config: unknown): readonly Secrecy[] {
  const parsed = schema.parse(config);
  return textsOf(config, [])
    .filter(({ path, text }) => isNamedLikeSecret(path.at(-1) ?? "") || hasPassword(text))
    .map(({ path, text }) => ({ path: path.join("."), isHidden: hides(parsed, text) }));
}

function textsOf(
  value: unknown,
  path: readonly string[],
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, [...path, name]));
}

function hasPassword(text: string): boolean {
  return URL.canParse(text) && new URL(text).password !== "";
}

function hides(parsed: unknown, text: string): boolean {
  const printed = [inspect(parsed, { depth: 9 }), JSON.stringify(parsed) ?? ""];
  return !printed.some((one) => one.includes(text));
}

const secretWords = /^(?:pass(?:word|wd|phrase)?|pwd|secrets?|token|credentials?|apikey|dsn)$/;
const keyWords = /^(?:api|access|private|secret|signing|auth)$/;
const pagingWords = /^(?:page|next|cursor|continuation|sync|delta)$/;

/** Whether a name ends in a word for a secret: `api_key` does, `key` names rows, `next_token` a place. */
function isNamedLikeSecret(name: string): boolean {
  const words = name.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  const [before = "", last = ""] = [words.at(-2), words.at(-1)];
  if (last === "key") return keyWords.test(before);
  return secretWords.test(last) && !(last === "token" && pagingWords.test(before));
}

type Member = { readonly path: readonly string[]; readonly schema: z.core.$ZodType };

/** Endlessly recursive schemas are followed no deeper. */
const depthMax = 8;

/** The members of an object and of its members, through everything that may be wrapped around one. */
function membersOf(schema: z.core.$ZodType, path: readonly string[]): readonly Member[] {
  if (path.length > depthMax) return [];
  if (isObject(schema)) {
    return Object.entries(schema.shape).flatMap(([name, member]) => {
      const at = [...path, name];
      return [{ path: at, schema: member }, ...membersOf(member, at)];
    });
  }
  return insideOf(schema).flatMap((inside) => membersOf(inside, path));
}

function isObject(schema: z.core.$ZodType): schema is z.ZodObject<z.core.$ZodShape> {
  return schema instanceof z.ZodObject;
}

/** The schemas that a schema is wrapped around, or made of. */
function insideOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right];
  // The schema that reads the input is at the front, except with `preprocess`, which is at the front itself.
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out];
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodLazy;
  return isWrapper ? [schema.unwrap()] : [];
}
