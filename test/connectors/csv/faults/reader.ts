import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { z } from "zod";

import { csvConfig } from "../../../../connectors/csv/config.ts";
import { readCsv } from "../../../../connectors/csv/read.ts";
import { messageOf } from "../../../../src/errors.ts";
import { pageRowsMax } from "../../../../src/limits.ts";

/**
 * The maximum growth of a process while reading: pages, a window, and garbage that a busy machine has yet to collect;
 * never the file.
 */
export const readMemoryMax = 192 * 1024 * 1024;

const outcome = z.object({
  rows: z.int(),
  rejects: z.int(),
  error: z.string().optional(),
  /** How much the process grew while it read. */
  grownBytes: z.number(),
});

/**
 * What a separate process read from a folder's `a.csv`, and how much memory that took: other tests leave their memory
 * in this one.
 */
export async function readApart(folder: string): Promise<z.output<typeof outcome>> {
  const program = ["--max-old-space-size=64", import.meta.filename, folder];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  return outcome.parse(JSON.parse(stdout));
}

if (process.argv[1] === import.meta.filename) {
  const config = csvConfig.parse({ path: "a.csv", folder: process.argv[2] });
  const { signal } = new AbortController();
  const log = { info: () => undefined, warn: () => undefined };
  const before = process.memoryUsage().rss;
  let rows = 0;
  let rejects = 0;
  let error: string | undefined;
  try {
    for await (const page of readCsv({ config, signal, log, pageRowsMax })) {
      rows += page.rows.length;
      rejects += page.rejects?.length ?? 0;
    }
  } catch (caught) {
    error = messageOf(caught);
  }
  // In KiB; the peak over the whole life of the process.
  const grownBytes = process.resourceUsage().maxRSS * 1024 - before;
  process.stdout.write(JSON.stringify({ rows, rejects, error, grownBytes }));
}
