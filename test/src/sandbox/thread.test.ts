import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { startSandboxThread } from "../../../src/sandbox/thread.ts";
import { account, gzipOf, SandboxClient, started, temporaryFolder } from "./sandbox-client.ts";

describe("startSandboxThread", () => {
  it("runs a whole sandbox, with the faults of its settings", async () => {
    const dataFolder = join(await temporaryFolder(), "data");
    const sandbox = await startSandboxThread({
      host: "127.0.0.1",
      port: 0,
      dataFolder,
      faults: [{ step: "upload-json", do: { status: 503 } }],
    });
    const client = new SandboxClient({ ...sandbox, order: () => undefined }, dataFolder);
    try {
      expect((await client.uploadJson([account(1)])).status).toBe(503);
      expect((await client.confirm(await client.upload(gzipOf([account(2)])))).status).toBe(200);
      expect(await client.records()).toMatchObject([{ record: account(2) }]);
    } finally {
      await client.close();
    }
    const again = await started({ dataFolder });
    expect(await again.records()).toHaveLength(1);
  });

  it("fails as startSandbox fails", async () => {
    const { dataFolder } = await started();
    const starting = startSandboxThread({ host: "127.0.0.1", port: 0, dataFolder });
    await expect(starting).rejects.toThrow("in use by another sandbox");
  });
});
