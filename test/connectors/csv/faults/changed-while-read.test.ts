import { appendFile, rename, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { blockBytes } from "../../../../connectors/csv/limits.ts";
import { readCsv } from "../../../../connectors/csv/read.ts";
import { SourceChangedError } from "../../../../src/errors.ts";
import { configOf, keptLog, withFolder } from "../support.ts";

/** A file of more than two blocks, and the number of its rows. */
const large = { rows: 150_000, text: `id,name\n${"12345,abc\n".repeat(150_000)}` };

/** Reads the first page, changes the file, and continues to the end. */
async function readAround(
  members: object,
  change: (path: string) => Promise<void>,
): Promise<number> {
  return await withFolder({ "a.csv": large.text }, async (folder) => {
    let rows = 0;
    const ask = { signal: new AbortController().signal, log: keptLog(), pageRowsMax: 100 };
    for await (const page of readCsv({ ...ask, config: configOf(folder, members) })) {
      if (rows === 0) await change(join(folder, "a.csv"));
      rows += page.rows.length;
    }
    return rows;
  });
}

describe("readCsv of a file that changes", () => {
  it.each<[what: string, change: (path: string) => Promise<void>]>([
    ["cut", async (path) => await truncate(path, blockBytes + 1)],
    ["appended to", async (path) => await appendFile(path, "1,2\n")],
    ["touched", async (path) => await utimes(path, 1, 1)],
    ["written over", async (path) => await writeFile(path, large.text)],
  ])("stops when a file is %s while it is read", async (_, change) => {
    await expect(readAround({}, change)).rejects.toThrow(SourceChangedError);
    await expect(readAround({}, change)).rejects.toThrow("a.csv changed while it was read");
  });

  it("reads on in a file that was replaced by renaming, since it holds the old one", async () => {
    const rows = await readAround({}, async (path) => {
      await writeFile(`${path}.new`, "id\n");
      await rename(`${path}.new`, path);
    });
    expect(rows).toBe(large.rows);
  });

  it("reads of a growing append-only file what was there when it was opened", async () => {
    const rows = await readAround(
      { append_only: true },
      async (path) => await appendFile(path, "1,2\n"),
    );
    expect(rows).toBe(large.rows);
  });

  it("stops when an append-only file is cut while it is read", async () => {
    const reading = readAround(
      { append_only: true },
      async (path) => await truncate(path, blockBytes + 1),
    );
    await expect(reading).rejects.toThrow(SourceChangedError);
  });
});
