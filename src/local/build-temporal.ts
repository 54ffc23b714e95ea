import { join } from "node:path";

import { runTool } from "./run-tool.ts";
import { temporalCliVersion, type FetchTemporal } from "./temporal-version.ts";

const tickMs = 15_000;

/**
 * Builds the Temporal server from source with the Go on the PATH and returns the path of the program. Needs
 * Go's module proxy or a warm module cache.
 * @throws {Error} there is no Go, or it fails
 */
export async function buildTemporal({ env, folder, say }: FetchTemporal): Promise<string> {
  say(
    "building the Temporal server from source, once; this takes about three minutes on two cores",
  );
  await runTool({
    command: "go",
    args: ["install", `github.com/temporalio/cli/cmd/temporal@v${temporalCliVersion}`],
    env: { ...env, CGO_ENABLED: "0", GOBIN: folder },
    tick: (seconds) => say(`still building: ${seconds} s`),
    tickMs,
  });
  return join(folder, "temporal");
}
