import { isScalar, isSeq, visit } from "yaml";
import type { Document } from "yaml";

const secretName = /(?:^|_)(?:key|secret|password|passphrase|token)$/i;

/** Members of which a list is one of secrets; a list of keys is one of columns. */
const secretsName = /(?:^|_)secret$/i;

/**
 * A configuration's text as problems may show it: what looks like a literal secret is overwritten with as
 * many stars, so that columns stay. `${VAR}` gives nothing away and stays.
 */
export function strikeOutSecrets(document: Document.Parsed, text: string): string {
  let shown = text;
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !secretName.test(String(key.value))) return;
      const isList = isSeq(value) && secretsName.test(String(key.value));
      for (const secret of isList ? value.items : [value]) {
        if (!isScalar(secret)) continue;
        const [start, end] = secret.range ?? [0, 0];
        shown = shown.slice(0, start) + stars(shown.slice(start, end)) + shown.slice(end);
      }
    },
  });
  return strikeOutPasswords(shown);
}

/**
 * Strikes out what stands between the user and the host of an address. Piece by piece, because one pattern
 * for all of it takes quadratic time on many "://".
 */
function strikeOutPasswords(text: string): string {
  return text.replaceAll(/[^\s@]+/g, (piece, at: number) => {
    const user = text[at + piece.length] === "@" ? /:\/\/[^:/]*:/.exec(piece) : null;
    if (user === null) return piece;
    const password = user.index + user[0].length;
    return piece.slice(0, password) + stars(piece.slice(password));
  });
}

function stars(text: string): string {
  return text.includes("${") ? text : text.replaceAll(/\S/g, "*");
}
