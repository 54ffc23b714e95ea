import type { Encoding } from "../config.ts";

/** The delimiters that are recognised, the likeliest first. */
export const candidates: readonly string[] = [",", ";", "\t", "|"];

const marks: readonly (readonly [encoding: Encoding, bytes: Buffer])[] = [
  ["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
  ["utf-16le", Buffer.from([0xff, 0xfe])],
  ["utf-16be", Buffer.from([0xfe, 0xff])],
];

/** The encoding of a text and the bytes of its byte order mark, which wins over the configured encoding. */
export function sniffEncoding(
  head: Buffer,
  configured: Encoding,
): { readonly encoding: Encoding; readonly markBytes: number } {
  for (const [encoding, bytes] of marks) {
    if (head.subarray(0, bytes.length).equals(bytes)) return { encoding, markBytes: bytes.length };
  }
  return { encoding: configured, markBytes: 0 };
}

/** The line before the header that gives Excel the delimiter, `sep=;`; `length` is its number of characters. */
export function sniffSeparatorLine(
  head: string,
): { readonly delimiter: string; readonly length: number } | undefined {
  const [line, delimiter] = /^"?sep=([^\r\n\u007f-\uffff])"?(?:\r\n|\r|\n)/i.exec(head) ?? [];
  if (line === undefined || delimiter === undefined) return undefined;
  return { delimiter, length: line.length };
}

/**
 * The delimiter that cuts the first line into `columns` fields, or the most frequent one in it, outside quotes; a comma
 * when it holds none. `head` is the start of a text, in any encoding that has ASCII as single bytes or units.
 */
export function sniffDelimiter(
  head: string,
  quote: string | false,
  columns: number | undefined,
): string {
  const counts = new Map(candidates.map((candidate) => [candidate, 0]));
  let isQuoted = false;
  for (const character of head.replace(/^[\r\n]+/, "")) {
    if (character === quote) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "\n" || character === "\r") break;
    else if (counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const ranked = candidates.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const fitting = candidates.find((candidate) => counts.get(candidate) === (columns ?? 0) - 1);
  return fitting ?? ranked[0] ?? ",";
}
