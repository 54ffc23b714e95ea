import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { createServiceClient } from "../../src/service-client.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "../support/harness.ts";
import { TestRun } from "../support/test-run.ts";
import { columns } from "./cell.ts";

const [old, fresh] = ["canary-api-key-old", "canary-api-key-new"];

/** A run whose key stands in a file, at a service that takes the new key alone. */
async function runWithKeyFile(): Promise<TestRun> {
  const yaml = accountsYaml().replace("api_key: ${SLUICE_API_KEY}", "api_key_file: key");
  const files = { "accounts.csv": accountsCsv(5), key: `${old}\n` };
  const harness = await Harness.open({ yaml, files, sandbox: { apiKeys: [fresh] } });
  return await TestRun.open(harness);
}

/** The activities with the client that a worker makes. */
function asWorker({ harness }: TestRun): Harness["activities"] {
  const { config, state } = harness.deps;
  const address = new URL(harness.sandbox.address);
  const addresses = { baseUrl: address, legacyBaseUrl: address };
  const api = createServiceClient(config, { addresses, state, proxy: undefined });
  onTestFinished(async () => await api.close());
  return harness.activitiesWith({ api });
}

describe.each(columns)("row 43: a refused key at %s", (column) => {
  it("stops the run, and once its file holds another the same worker goes on", async () => {
    const run = await runWithKeyFile();
    const { harness } = run;
    const part = run.part(await run.stage());
    const activities = asWorker(run);
    const attempt = async (): Promise<unknown> => {
      if (column === "json") return await harness.perform(activities.uploadJson, part);
      const { fileKey } = await harness.perform(activities.uploadFile, part);
      if (column !== "confirm") return fileKey;
      return await harness.perform(activities.confirmUpload, { ...part, fileKey });
    };
    for (const _ of ["asked", "not asked again"]) {
      expect(await failureOf(attempt())).toMatchObject({ type: "AuthFailed", nonRetryable: true });
    }
    expect(await harness.sandbox.ledger()).toMatchObject([{ status: 401 }]);
    await writeFile(join(harness.folder, "key"), `${fresh}\n`);
    await attempt();
    const statuses = (await harness.sandbox.ledger()).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(1);
    // A run that is opened now is not held up by the gate of the key that was refused.
    const next = await TestRun.open(harness, { runId: "run-1" });
    expect(next.opened.runId).toBe("run-1");
  });
});
