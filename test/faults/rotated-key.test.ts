import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { ApiClient } from "../../src/api/client.ts";
import { createServiceClient } from "../../src/service/client.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";
import { PagePlay } from "./play/page-play.ts";

/**
 * The columns whose request carries the key, and the sandbox's answer to the new key: to the sandbox another key is
 * another account, which has no such upload to confirm.
 */
const columns = [
  { column: "generate", step: "generate-upload-url", answer: 200, ends: "done" },
  { column: "confirm", step: "confirm-upload", answer: 404, ends: "Unavailable" },
  { column: "json", step: "upload-json", answer: 200, ends: "done" },
  { column: "search", step: "search", answer: 200, ends: "done" },
] as const;

const [old, fresh] = ["canary-api-key-old", "canary-api-key-new"];

/** A run whose key is in a file, for a service that accepts both keys. */
async function runWithKeyFile(): Promise<TestRun> {
  const yaml = accountsYaml().replace("api_key: ${SLUICE_API_KEY}", "api_key_file: key");
  const files = { "accounts.csv": accountsCsv(5), key: `${old}\n` };
  const harness = await Harness.open({ yaml, files, sandbox: { apiKeys: [old, fresh] } });
  return await TestRun.open(harness);
}

/** A client like a worker's. */
function workersClient({ harness }: TestRun): ApiClient {
  const { config, state } = harness.deps;
  const address = new URL(harness.sandbox.address);
  const addresses = { baseUrl: address, legacyBaseUrl: address };
  const api = createServiceClient(config, { addresses, state, proxy: undefined });
  onTestFinished(async () => await api.close());
  return api;
}

describe.each(columns)("row 43: a refused key at $column", ({ column, step, ...next }) => {
  it("stops the run, and once its file holds another the same worker asks with that one", async () => {
    const run = await runWithKeyFile();
    const { harness } = run;
    const part = run.part(await run.stage());
    const api = workersClient(run);
    const activities = harness.activitiesWith({ api });
    const page = new PagePlay(run);
    const uploaded =
      column === "confirm" ? await harness.perform(activities.uploadFile, part) : undefined;
    const attempt = async (): Promise<unknown> => {
      if (uploaded !== undefined) {
        return await harness.perform(activities.confirmUpload, { ...part, ...uploaded });
      }
      if (column === "search") return await page.attempt(api);
      const send = column === "json" ? activities.uploadJson : activities.uploadFile;
      return await harness.perform(send, part);
    };
    const statuses = async (): Promise<unknown[]> =>
      (await harness.sandbox.ledger(step)).map(({ status }) => status);
    harness.sandbox.order(step, { status: 401 });
    for (const _ of ["asked", "not asked again"]) {
      expect(await failureOf(attempt())).toMatchObject({ type: "AuthFailed", nonRetryable: true });
    }
    expect(await statuses()).toEqual([401]);
    await writeFile(join(harness.folder, "key"), `${fresh}\n`);
    const ended = await attempt().then(
      () => "done",
      async (error: unknown) => (await failureOf(Promise.reject(error))).type,
    );
    expect(ended).toBe(next.ends);
    expect(await statuses()).toEqual([401, next.answer]);
    // A run that is opened now is not delayed by the block on the refused key.
    const later = await TestRun.open(harness, { runId: "run-1" });
    expect(later.opened.runId).toBe("run-1");
  });
});
