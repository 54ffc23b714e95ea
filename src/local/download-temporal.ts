import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { threadFile } from "../thread.ts";
import { runTool } from "./run-tool.ts";
import type { FetchTemporal } from "./temporal-version.ts";

const tickMs = 5_000;

/** A download that receives no byte for this long is abandoned: some networks silently drop what they do not allow. */
const stalledMsMax = 30_000;

/**
 * Downloads the Temporal server the way Temporal's SDK does for tests, and returns the path of the program. It runs in
 * a process of its own (`download-main.ts`): the SDK's download cannot be cancelled, and here it would set up the
 * native runtime, which can be configured only once.
 * @throws {Error} the download is refused, or stalls
 */
export async function downloadTemporal({ env, folder, say }: FetchTemporal): Promise<string> {
  say("downloading the Temporal server");
  const stalled = new AbortController();
  let [bytes, grewAt] = [0, Date.now()];
  const path = await runTool({
    command: process.execPath,
    args: [fileURLToPath(threadFile("download-main", import.meta.url)), folder],
    env,
    tick: () => {
      const now = bytesIn(folder);
      if (now > bytes) {
        [bytes, grewAt] = [now, Date.now()];
        say(`still downloading: ${Math.round(bytes / 1e6)} MB unpacked`);
      } else if (Date.now() - grewAt > stalledMsMax) {
        stalled.abort(new Error(`no byte in ${stalledMsMax / 1000} s`));
      }
    },
    tickMs,
    signal: stalled.signal,
  });
  return path.trim();
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => {
    // The SDK renames the file once it is whole.
    return sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}
