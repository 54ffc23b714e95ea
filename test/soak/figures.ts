import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import type { Client } from "@temporalio/client";

import { heapBytes } from "./heap.ts";
import type { Watching } from "./system.ts";

/** The resources of one of the processes. */
export type Taken = { readonly heap: number; readonly rss: number; readonly files: number };

/** Reads them from /proc, and the heap from the inspector. */
export async function takenBy({ child, inspector }: Watching): Promise<Taken> {
  const heap = await heapBytes(inspector);
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
  return { heap, rss, files: (await readdir(`/proc/${child.pid}/fd`)).length };
}

/** Bytes of the files below a folder, and their names; files that disappear meanwhile are left out. */
export async function sizeOf(
  folder: string,
): Promise<{ readonly bytes: number; readonly names: readonly string[] }> {
  let bytes = 0;
  const names: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    if (found === undefined) continue;
    bytes += found.size;
    names.push(join(entry.parentPath, entry.name));
  }
  return { bytes, names };
}

/** The largest history of all workflows, open ones included, in bytes. */
export async function largestHistory(client: Client): Promise<number> {
  let largest = 0;
  for await (const { workflowId, runId } of client.workflow.list()) {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    largest = Math.max(largest, Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0));
  }
  return largest;
}
