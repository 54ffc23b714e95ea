import { readdirSync } from "node:fs";
import { join } from "node:path";

import { temporalCliVersion } from "./temporal-version.ts";

/** Runs in a process of its own. The SDK offers the download only together with a first start of the server. */
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

await downloadWithSdk(process.argv[2] ?? "").catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
