import { isScalar, isSeq, visit } from "yaml";
import type { Document } from "yaml";

import { closest } from "./did-you-mean.ts";

const secretName = /(?:^|_)(?:key|secret|password|passphrase|token)$/i;

/** A member whose name is misspelt still holds the secret. */
const misspelt = ["api_key", "secret", "password", "passphrase", "token"];

function isSecret(name: string): boolean {
  return secretName.test(name) || closest(name, misspelt) !== undefined;
}

/** A name before its value where YAML sees no pair: a colon without a blank after it, or an equals sign. */
const noPair = /(?<![\w-]|\$\{)([\w-]+)["']?(?::(?=\S)|[ \t]*=[ \t]*)/g;

/** The same for broken syntax, where a pair may have become part of something else. */
const anyPair = /(?<![\w-]|\$\{)([\w-]+)["']?[ \t]*[:=][ \t]*/g;

/** Members whose lists hold secrets; a list of keys holds columns. */
const secretsName = /(?:^|_)secret$/i;

/**
 * A configuration's text as problems may show it: anything that looks like a literal secret is overwritten with as many
 * stars, so that columns stay. `${VAR}` reveals nothing and stays; the text around it does not.
 */
export function strikeOutSecrets(document: Document.Parsed, text: string): string {
  let shown = text;
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !isSecret(String(key.value))) return;
      const isList = isSeq(value) && secretsName.test(String(key.value));
      for (const secret of isList ? value.items : [value]) {
        if (!isScalar(secret)) continue;
        const [start, end] = secret.range ?? [0, 0];
        shown = shown.slice(0, start) + stars(shown.slice(start, end)) + shown.slice(end);
      }
    },
  });
  const pairs = document.errors.length > 0 ? anyPair : noPair;
  return strikeOutPasswords(shown.replaceAll(/.+/g, (line) => strikeOutEnd(line, pairs)));
}

/** Strikes out the text after a secret's name, to the end of its line; text in brackets has names of its own. */
function strikeOutEnd(line: string, pairs: RegExp): string {
  for (const { 0: before, 1: name = "", index } of line.matchAll(pairs)) {
    const from = index + before.length;
    if (!isSecret(name) || /^[[{|>]/.test(line.slice(from))) continue;
    return line.slice(0, from) + stars(line.slice(from));
  }
  return line;
}

/**
 * Strikes out the password between the user and the host of an address. Works piece by piece, because one pattern for
 * the whole text takes quadratic time on many "://".
 */
function strikeOutPasswords(text: string): string {
  return text.replaceAll(/[^\s@]+/g, (piece, at: number) => {
    const user = text[at + piece.length] === "@" ? /:\/\/[^:/]*:/.exec(piece) : null;
    if (user === null) return piece;
    const password = user.index + user[0].length;
    return piece.slice(0, password) + stars(piece.slice(password));
  });
}

/** A reference to a variable, but not an escaped one, with its quotes; else one character. */
const referenceOrOne = /["']?(?<!\$)\$\{[A-Za-z_]\w*(?::-[^}]*)?\}["']?|\S/g;

function stars(text: string): string {
  return text.replaceAll(referenceOrOne, (piece) => (piece.length === 1 ? "*" : piece));
}
