import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

import { messageOf, StagedFileMissingError } from "../errors.ts";
import type { Ranges } from "../state/ranges.ts";

const lineEnd = 0x0a;

/** Reads the lines (without their ends) of a gzip file, in order. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const bytes of source) {
    let from = 0;
    for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, from)) {
      const tail = bytes.subarray(from, end);
      yield rest.length === 0 ? tail : Buffer.concat([...rest, tail]);
      [rest, from] = [[], end + 1];
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
  }
}

/** Yields every line of a gzip file up to where the file breaks off. */
export async function* wholeLines(file: string): AsyncGenerator<Buffer> {
  const [input, gunzip] = [createReadStream(file), createGunzip()];
  const reading = pipeline(input, gunzip);
  reading.catch(() => undefined); // reported where the lines are read
  yield* linesOf(gunzip);
}

/**
 * Yields the records of a staged file that are in `ranges`, with their numbers, and stops reading after the last.
 * @throws {StagedFileMissingError} the file is gone or not whole.
 */
export async function* stagedLines(
  file: string,
  ranges: Ranges,
): AsyncGenerator<{ readonly record: number; readonly line: Buffer }> {
  const last = ranges.at(-1)?.[1] ?? 0;
  const [input, gunzip] = [createReadStream(file), createGunzip()];
  const reading = pipeline(input, gunzip);
  reading.catch(() => undefined); // reported where the lines are read
  let [record, range] = [0, 0];
  try {
    for await (const line of linesOf(gunzip)) {
      while (range < ranges.length && record >= (ranges[range]?.[1] ?? 0)) range += 1;
      if (record >= (ranges[range]?.[0] ?? Infinity)) yield { record, line };
      record += 1;
      if (record >= last) return;
    }
  } catch (error) {
    throw new StagedFileMissingError(`cannot read the staged file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    input.destroy();
    gunzip.destroy();
  }
  if (record < last) {
    throw new StagedFileMissingError(
      `the staged file ${file} holds ${record} records, not ${last}`,
    );
  }
}
