import { isCollection, isNode, isPair, isScalar, isSeq, visit } from "yaml";
import type { Document, Pair } from "yaml";

import { closest } from "./did-you-mean.ts";

const secretName = /(?:^|_)(?:key|secret|password|passphrase|token)$/i;

/** A member whose name is misspelt still holds the secret. */
const misspelt = ["api_key", "secret", "password", "passphrase", "token"];

function isSecret(name: string): boolean {
  return secretName.test(name) || closest(name, misspelt) !== undefined;
}

/** A name before its value where YAML sees no pair: a colon without a blank after it, or an equals sign. */
const noPair = /(?<![\w-]|\$\{)([\w-]+)["']?(?::(?=\S)|[ \t]*=[ \t]*)/g;

/** The same for broken syntax, where a pair may have become part of something else, or lacks its colon. */
const anyPair = /(?<![\w-]|\$\{)([\w-]+)(?:["']?[ \t]*[:=][ \t]*|[ \t]+(?=\w))/g;

/** Members whose lists hold columns, and no secrets. */
const columnsName = /(?:^|_)key$/i;

/** A member's name without its value, which is part of the name where the colon or the blank after it is missing. */
export function nameOnly(name: string): string {
  return /^[\w-]+(?=[\s:=])/.exec(name)?.[0] ?? name;
}

/**
 * A configuration's text as problems may show it: anything that looks like a literal secret is overwritten with as many
 * stars, so that columns stay. `${VAR}` reveals nothing and stays; the text around it does not.
 */
export function strikeOutSecrets(document: Document.Parsed, text: string): string {
  let shown = text;
  const strikeOut = (start: number, end: number): void => {
    shown = shown.slice(0, start) + stars(shown.slice(start, end)) + shown.slice(end);
  };
  visit(document, {
    Pair: (_, pair) => {
      for (const [start, end] of secretsOf(pair, text)) strikeOut(start, end);
    },
    Scalar: (_, { range }, path) => {
      if (!path.some(isOfReceivers)) return;
      const [start = 0, end = 0] = range ?? [];
      const host = /:\/\/[^/]*\//.exec(text.slice(start, end));
      if (host !== null) strikeOut(start + host.index + host[0].length, end);
    },
  });
  const pairs = document.errors.length > 0 ? anyPair : noPair;
  return strikeOutPasswords(shown.replaceAll(/.+/g, (line) => strikeOutEnd(line, pairs)));
}

/** Whether a node is the member `notify`: an address to which Slack lets post is a secret, except for its host. */
function isOfReceivers(node: unknown): boolean {
  return (
    isPair(node) && isScalar(node.key) && closest(String(node.key.value), ["notify"]) !== undefined
  );
}

/** Where a pair's secrets are, if it has any. */
function secretsOf({ key, value }: Pair, text: string): readonly (readonly [number, number])[] {
  if (!isScalar(key)) return [];
  const name = String(key.value);
  const word = nameOnly(name);
  if (!isSecret(word)) return [];
  const [start = 0, end = 0] = key.range ?? [];
  if (word !== name) {
    const written = /^(["']?[\w-]+[ \t:=]*)(.*)/.exec(text.slice(start, end));
    const [, before = "", secret = ""] = written ?? [];
    return [[start + before.length, start + before.length + secret.length]];
  }
  const items = isSeq(value) && !columnsName.test(name) ? value.items : [];
  let before = end;
  return [value, ...items].filter(isNode).map((node) => {
    const [from = 0, to = 0] = node.range ?? [];
    // To YAML, a secret that begins with & or ! is a mark, between what comes before it and an empty value.
    const mark = text.slice(before, from).search(/[&!]/);
    const begin = mark < 0 ? from : before + mark;
    before = isCollection(node) ? from : to;
    return [begin, before];
  });
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

/** Strikes out the password between the user and the host of an address: it may hold an @, or a / by mistake. */
function strikeOutPasswords(text: string): string {
  return text.replaceAll(/\S+/g, (piece) => {
    const end = piece.lastIndexOf("@");
    const user = /:\/\/[^:/]*:/.exec(piece.slice(0, Math.max(end, 0)));
    if (user === null) return piece;
    const start = user.index + user[0].length;
    return piece.slice(0, start) + stars(piece.slice(start, end)) + piece.slice(end);
  });
}

/** A reference to a variable, but not an escaped one, with its quotes; else one character. */
const referenceOrOne = /["']?(?<!\$)\$\{[A-Za-z_]\w*(?::-[^}]*)?\}["']?|\S/g;

function stars(text: string): string {
  return text.replaceAll(referenceOrOne, (piece) => (piece.length === 1 ? "*" : piece));
}
