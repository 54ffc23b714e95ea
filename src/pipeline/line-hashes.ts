import { hash } from "node:crypto";

import { ConfigError } from "../errors.ts";
import { hashBytes } from "../state/contract/keys/fingerprints.ts";
import type { RecordPage, RowPage } from "./page.ts";
import { rowText } from "./rejects.ts";

/** Writes the hash of a line. */
function putHash(hashes: Buffer, index: number, line: Uint8Array): void {
  // As text, because a separate buffer for each would cost more than the hash.
  hashes.write(hash("sha256", line, "binary"), index * hashBytes, hashBytes, "latin1");
}

/** The first 128 bits of a line's sha256: faster than md5 where the processor supports it, and never forbidden. */
export function hashOf(line: Uint8Array): Uint8Array {
  const hashes = Buffer.allocUnsafeSlow(hashBytes);
  putHash(hashes, 0, line);
  return hashes;
}

/** The hashes of all lines of some pages; `bytesOf` returns the bytes to hash. */
function hashesOf(
  pages: readonly RecordPage[],
  bytesOf: (page: RecordPage, position: number) => Uint8Array,
): Uint8Array {
  const count = pages.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const hashes = Buffer.allocUnsafeSlow(count * hashBytes);
  let index = 0;
  for (const page of pages) {
    for (let position = 0; position < page.candidates.length; position += 1) {
      putHash(hashes, index++, bytesOf(page, position));
    }
  }
  return hashes;
}

/** The hashes of the lines of all candidates of some pages, in their order. */
export function hashesOfLines(pages: readonly RecordPage[]): Uint8Array {
  return hashesOf(pages, ({ candidates }, position) => candidates.lineAt(position));
}

/** The text of a row by which it is known when it comes again. @throws {ConfigError} it has none. */
function knownText(page: RowPage, index: number): string {
  const text = rowText(page, index);
  if (text !== undefined) return text;
  // No place: it may name a customer's row, and the error reaches Temporal.
  throw new ConfigError(
    "JSON cannot show a row, so that it would not be known when it comes again",
    {
      hint: "have the connector give `text` of each row, or rows that JSON can show; or set `send: changed`",
    },
  );
}

/**
 * The hashes of their lines together with the rows that they came from.
 * @throws {ConfigError} JSON cannot show a row.
 */
export function hashesOfRows(pages: readonly RecordPage[]): Uint8Array {
  return hashesOf(pages, ({ candidates, source }, position) =>
    Buffer.concat([
      candidates.lineAt(position),
      Buffer.from(`\n${knownText(source, candidates.rowOf(position))}`),
    ]),
  );
}
