import { open } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { longRowBytesMax } from "../../../../connectors/csv/limits.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { readApart, readMemoryMax } from "./reader.ts";

/** A file of a header line, one row, the start of another, and two gigabytes of zeros that take no disk space. */
async function twoGigabytes(rowStart: string): Promise<string> {
  const folder = await temporaryFolder();
  const file = await open(join(folder, "a.csv"), "w");
  await file.write(`id,name\n1,a\n${rowStart}`);
  await file.truncate(2_000_000_000);
  await file.close();
  return folder;
}

describe("a row that is too long (T22)", () => {
  it.each([
    ["2,", `a.csv:3: the row is longer than ${longRowBytesMax} bytes`],
    ['2,"', `a.csv:3: a quote opened on this line is not closed within ${longRowBytesMax} bytes`],
  ])("stops at 2 GB behind %j in the memory that any file takes", async (rowStart, message) => {
    const { grownBytes, ...read } = await readApart(await twoGigabytes(rowStart));
    expect(read).toEqual({ rows: 1, rejects: 0, error: message });
    expect(grownBytes).toBeLessThan(readMemoryMax);
  });
});
