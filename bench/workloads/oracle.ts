import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

import { parse } from "csv-parse";

import { accounts, oracleParseOptions, oracleRecord } from "./accounts.ts";
import { LineDigest, linesOfBytes } from "./line-digest.ts";

/** The correct JSON lines for a CSV of accounts. */
export type Oracle = {
  readonly sha256: string;
  /** The digest of the lines in any order, as `linesInAnyOrder` gives it. */
  readonly lines: string;
  /** Their size after zlib at level 1, in one member. */
  readonly zlibBytes: number;
};

/**
 * Writes the correct JSON lines for a CSV into a file.
 * @throws {Error} the CSV is the benchmark's, but the lines are not those of README.md
 */
export async function writeOracle(csv: string, file: string): Promise<Oracle> {
  const sha256 = createHash("sha256");
  const digest = new LineDigest();
  let count = 0;
  async function* lines(rows: AsyncIterable<Record<string, string>>): AsyncGenerator<string> {
    for await (const row of rows) {
      const line = JSON.stringify(oracleRecord(row));
      sha256.update(`${line}\n`);
      digest.add(line);
      count += 1;
      yield `${line}\n`;
    }
  }
  await pipeline(createReadStream(csv), parse(oracleParseOptions), lines, createWriteStream(file));
  const found = sha256.digest("hex");
  if (count === accounts.rows && found !== accounts.jsonlSha256) {
    throw new Error(`${csv}: the oracle's lines have the sha256 ${found}`);
  }
  let zlibBytes = 0;
  const packed = createReadStream(file).pipe(createGzip({ level: 1 }));
  for await (const piece of packed as AsyncIterable<Buffer>) zlibBytes += piece.length;
  return { sha256: found, lines: digest.toString(), zlibBytes };
}

/** A digest of the lines in gzip files, in any order. */
export async function linesInAnyOrder(files: readonly string[]): Promise<string> {
  const digest = new LineDigest();
  for (const file of files) {
    const unpacked: AsyncIterable<Buffer> = createReadStream(file).pipe(createGunzip());
    for await (const line of linesOfBytes(unpacked)) digest.add(line);
  }
  return digest.toString();
}
