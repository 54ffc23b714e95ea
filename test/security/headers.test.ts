import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { sources } from "../../connectors/registry.ts";
import { loadConfig } from "../../src/config/load.ts";
import { ConfigError } from "../../src/errors.ts";
import { Secret } from "../../src/security/secret.ts";
import { clientOf, confirmed, json, never, rejection, startServer } from "../src/api/support.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { accountsCsv, accountsYaml } from "../support/project/harness.ts";
import { runOver } from "../support/project/test-run.ts";

const forged = [
  ["CR LF", "canary\r\nx-forged: 1"],
  ["LF", "canary\nx-forged: 1"],
  ["NUL", "canary\0x"],
  ["what lies beyond Latin-1", "canary→x"],
  ["DEL", "canary\u007fx"],
] as const;

describe("a key that would forge a header (T10)", () => {
  it.each(forged)("is refused by its setting, in a configuration: %s", async (_name, key) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "sluice.yaml"), accountsYaml());
    const env = {
      SLUICE_BASE_URL: "http://127.0.0.1:1",
      SLUICE_API_KEY: key,
      CRM_DATABASE_URL: "x",
    };
    const error = await rejection(loadConfig({ cwd: folder, env, connectors: sources }));
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain("api_key");
    expect(String(error)).not.toContain("canary");
  });

  it.each(forged)("is refused by its setting, in a file: %s", async (_name, key) => {
    const folder = await temporaryFolder();
    const yaml = accountsYaml().replace("api_key: ${SLUICE_API_KEY}", "api_key_file: key");
    await writeFile(join(folder, "sluice.yaml"), yaml);
    await writeFile(join(folder, "key"), key);
    const env = { SLUICE_BASE_URL: "http://127.0.0.1:1", CRM_DATABASE_URL: "x" };
    const error = await rejection(loadConfig({ cwd: folder, env, connectors: sources }));
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain("key must be printable ASCII without blanks");
    expect(String(error)).not.toContain("canary");
  });

  it.each(forged)("is refused before anything is sent: %s", async (_name, key) => {
    const { url, seen } = await startServer((response) => json(response, 200, confirmed));
    const make = (): unknown => clientOf(url, { apiKey: new Secret(key) });
    expect(make).toThrow(expect.objectContaining({ field: "api.api_key" }));
    expect(make).not.toThrow(/canary/);
    expect(seen).toEqual([]);
  });
});

describe("what comes from outside and goes to the service (T10)", () => {
  it("is in a body, never in a header", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, confirmed));
    const fileKey = "uploads/1\r\nx-forged: 1\0→";
    await clientOf(url).confirmUpload({ fileKey, records: 1, signal: never });
    expect(seen.map(({ headers }) => headers["x-forged"])).toEqual([undefined]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ file_key: fileKey });
  });

  it("is sent whole from a row that holds line breaks", async () => {
    const run = await runOver(accountsCsv(1, () => '"x\r\nx-forged: 1"'));
    await run.transfer();
    expect(await run.harness.sandbox.names()).toEqual(new Map([["a0", "x\r\nx-forged: 1"]]));
  });
});
