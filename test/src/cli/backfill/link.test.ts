import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import { formLink, startFormLink } from "../../../../src/cli/backfill/link.ts";
import type { Config } from "../../../../src/config/config.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { identify } from "../../../../src/local/process-identity.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const here = { environment: readEnvironment({}) };
const elsewhere = { environment: readEnvironment({ TEMPORAL_ADDRESS: "127.0.0.1:9" }) };
const path =
  "/namespaces/default/workflows/start-workflow?taskQueue=sluice&workflowType=backfill&workflowId=backfill-accounts";

async function configured(more = ""): Promise<Config> {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, "sluice.yaml"),
    `version: 1\napi: { api_key: k }\nconnections: {}\nsyncs: {}\n${more}`,
  );
  return await loadConfig({ cwd: folder, env: {}, connectors: sources });
}

/** Records a running embedded Temporal: this process represents it. */
async function recordTemporal({ stateFolder }: Config, ui: string): Promise<void> {
  const server = identify(process.pid);
  const record = { server, addresses: { grpc: "127.0.0.1:9", ui }, users: [] };
  await mkdir(stateFolder, { recursive: true });
  await writeFile(join(stateFolder, "temporal.json"), JSON.stringify(record));
}

let config: Config;

beforeEach(async () => {
  config = await configured();
});

describe("formLink", () => {
  it("leads to the form of the embedded server while it runs", async () => {
    await recordTemporal(config, "http://127.0.0.1:8233");
    expect(formLink(here, config, { sync: "accounts", ui: undefined })).toEqual({
      url: `http://127.0.0.1:8233${path}`,
    });
  });

  it("is the path alone where nobody knows the address, and says what is missing", async () => {
    const none = formLink(here, config, { sync: "accounts", ui: undefined });
    expect(none.url).toBe(path);
    expect(none.remark).toContain("sluice dev");
    await recordTemporal(config, "http://127.0.0.1:8233");
    const other = formLink(elsewhere, config, { sync: "accounts", ui: undefined });
    expect(other.url).toBe(path);
    expect(other.remark).toContain("--ui");
  });

  it("takes the address that is given, and refuses one of another kind", () => {
    const asked = { sync: "accounts", ui: "https://temporal.example/ui/" };
    expect(formLink(elsewhere, config, asked).url).toBe(`https://temporal.example/ui${path}`);
    for (const ui of ["temporal.example", "javascript:alert(1)", ""]) {
      expect(() => formLink(here, config, { sync: "accounts", ui })).toThrow("--ui must be");
    }
  });

  it("names the queue, and with another than the default an id of its own", async () => {
    const other = await configured("temporal: { task_queue: eu }\n");
    const { url } = formLink(here, other, { sync: "accounts", ui: undefined });
    expect(url).toContain("taskQueue=eu&");
    expect(url).toMatch(/workflowId=backfill-accounts%40eu$/);
  });
});

describe("startFormLink", () => {
  it("leads to the form of the embedded server while it runs, and nowhere else", async () => {
    expect(startFormLink(here, config, "sync")).toBe(undefined);
    await recordTemporal(config, "http://127.0.0.1:8233");
    expect(startFormLink(here, config, "sync")).toBe(
      "http://127.0.0.1:8233/namespaces/default/workflows/start-workflow?taskQueue=sluice&workflowType=sync",
    );
    expect(startFormLink(elsewhere, config, "sync")).toBe(undefined);
  });
});
