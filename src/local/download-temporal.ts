import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { runTool } from "./run-tool.ts";
import { temporalCliVersion, type FetchTemporal } from "./temporal-version.ts";

const tickMs = 5_000;

/** A download that brings no byte for this long is given up: some networks swallow what they do not allow. */
const stalledMsMax = 30_000;

/**
 * Downloads the Temporal server the way Temporal's SDK does for tests, and gives the path of the program. A process of
 * its own does it, this very file: the SDK's download cannot be cancelled, and it would set up the native runtime here,
 * which can be configured only once.
 * @throws {Error} the download is refused, or stalls
 */
export async function downloadTemporal({ env, folder, say }: FetchTemporal): Promise<string> {
  say("downloading the Temporal server");
  const stalled = new AbortController();
  let [bytes, grewAt] = [0, Date.now()];
  const path = await runTool({
    command: process.execPath,
    args: [import.meta.filename, folder],
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

/** Runs in the process of its own. The SDK offers the download only together with a first start of the server. */
async function downloadWithSdk(folder: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import("@temporalio/testing");
  const server = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: {
        type: "cached-download",
        version: `v${temporalCliVersion}`,
        downloadDir: folder,
      },
    },
  });
  await server.teardown();
  const [name] = readdirSync(folder);
  if (name === undefined) throw new Error(`the SDK left nothing in ${folder}`);
  process.stdout.write(join(folder, name));
}

if (import.meta.main) {
  await downloadWithSdk(process.argv[2] ?? "").catch((error: unknown) => {
    process.stderr.write(String(error));
    process.exitCode = 1;
  });
}
