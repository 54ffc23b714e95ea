import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { z } from "zod";

const unpack = promisify(gunzip);

const line = z.object({
  entry: z.object({ t: z.string(), applied: z.boolean() }),
  upload: z
    .object({ content: z.object({ diskName: z.string().nullable() }).optional() })
    .optional(),
});

const event = z.object({ event_id: z.string() });

/** An event in a request that the sandbox accepted. */
export type AppliedEvent = {
  readonly id: string;
  /** When the request was made, in Unix ms. */
  readonly atMs: number;
};

/**
 * Every event of every request that a sandbox accepted, including repeated ones: the sandbox itself shows only the last
 * of each id.
 */
export async function readApplied(dataFolder: string): Promise<AppliedEvent[]> {
  const ledger = await readFile(join(dataFolder, "ledger.jsonl"), "utf8");
  const applied: AppliedEvent[] = [];
  for (const text of wholeLines(ledger)) {
    const { entry, upload } = line.parse(JSON.parse(text));
    const diskName = upload?.content?.diskName ?? undefined;
    if (!entry.applied || diskName === undefined) continue;
    const file = await unpack(await readFile(join(dataFolder, "uploads", diskName)));
    const atMs = Date.parse(entry.t);
    for (const record of wholeLines(file.toString())) {
      applied.push({ id: event.parse(JSON.parse(record)).event_id, atMs });
    }
  }
  return applied;
}

/** Records in the requests that a sandbox has accepted so far. */
export async function countApplied(dataFolder: string): Promise<number> {
  const ledger = await readFile(join(dataFolder, "ledger.jsonl"), "utf8");
  const counted = z.object({
    entry: z.object({ applied: z.boolean(), records: z.int().nullable() }),
  });
  return wholeLines(ledger)
    .map((text) => counted.parse(JSON.parse(text)).entry)
    .reduce((sum, { applied, records }) => sum + (applied ? (records ?? 0) : 0), 0);
}

/** The complete lines: the last one may still be being written. */
function wholeLines(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
}
