import { isScalar, visit } from "yaml";
import type { Document } from "yaml";

const secretName = /(?:^|_)(?:key|secret|password|passphrase|token)$/i;
const passwordInUrl = /(?<=:\/\/[^\s:@/]*:)[^\s@]+(?=@)/g;

/**
 * A configuration's text as problems may show it: what looks like a literal secret is overwritten with as many stars, so
 * that columns stay. `${VAR}` gives nothing away and stays.
 */
export function strikeOutSecrets(document: Document.Parsed, text: string): string {
  let shown = text;
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !secretName.test(String(key.value)) || !isScalar(value)) return;
      const [start, end] = value.range ?? [0, 0];
      shown = shown.slice(0, start) + stars(shown.slice(start, end)) + shown.slice(end);
    },
  });
  return shown.replaceAll(passwordInUrl, stars);
}

function stars(text: string): string {
  return text.includes("${") ? text : text.replaceAll(/\S/g, "*");
}
