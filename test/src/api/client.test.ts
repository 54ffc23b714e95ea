import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";

import { describe, expect, it, onTestFinished } from "vitest";

import { createApiClient } from "../../../src/api/client.ts";
import type { ApiClient } from "../../../src/api/client.ts";
import type { SignedUrl } from "../../../src/api/signed-url.ts";
import {
  ApiAuthError,
  ApiRejectedError,
  ApiUnavailableError,
  ConfigError,
  UploadGoneError,
} from "../../../src/errors.ts";
import { startSandbox } from "../../../src/sandbox/http/server.ts";
import { Secret } from "../../../src/security/secret.ts";
import {
  canaryKey,
  clientOf,
  json,
  never,
  notingLimiter,
  rejection,
  stageFile,
  startServer,
} from "./support.ts";

const base = new URL("https://api.example");
const settings = {
  baseUrl: base,
  legacyBaseUrl: base,
  apiKey: new Secret(canaryKey),
  allowInsecureHosts: [],
  rateLimiter: notingLimiter(),
};

/** The address of a sandbox that accepts only the canary key and closes with its test. */
async function sandboxUrl(): Promise<URL> {
  const dataFolder = await mkdtemp(join(tmpdir(), "sluice-api-sandbox-"));
  const sandbox = await startSandbox({
    host: "127.0.0.1",
    port: 0,
    dataFolder,
    apiKeys: [canaryKey],
  });
  onTestFinished(async () => {
    await sandbox.close();
    await rm(dataFolder, { recursive: true });
  });
  return new URL(sandbox.address);
}

function accounts(...domains: unknown[]): object[] {
  return domains.map((domain, at) => ({ account_id: `a${at}`, domain, account_properties: {} }));
}

async function putAndConfirm(client: ApiClient, records: readonly object[]): Promise<SignedUrl> {
  const gzip = gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const { uploadUrl, fileKey } = await client.generateUploadUrl({
    stream: "account",
    signal: never,
  });
  await client.putFile({ ...(await stageFile(gzip)), uploadUrl, signal: never });
  await client.confirmUpload({ fileKey, records: records.length, signal: never });
  // A confirm may run twice (I6).
  await client.confirmUpload({ fileKey, records: records.length, signal: never });
  return uploadUrl;
}

async function uploadRecords(client: ApiClient, data: readonly object[]): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ stream: "account", data }));
  return await client.uploadJson({ stream: "account", body, records: data.length, signal: never });
}

describe("a client of the sandbox", () => {
  it("is let in with its key alone", async () => {
    const url = await sandboxUrl();
    await expect(clientOf(url).ping({ signal: never })).resolves.toBeUndefined();
    const stranger = clientOf(url, { apiKey: new Secret("another") });
    expect(await rejection(stranger.ping({ signal: never }))).toBeInstanceOf(ApiAuthError);
    expect(await rejection(uploadRecords(stranger, accounts("a.example")))).toBeInstanceOf(
      ApiAuthError,
    );
  });

  it("brings records in both modes", async () => {
    const url = await sandboxUrl();
    const client = clientOf(url);
    await uploadRecords(client, accounts("a.example"));
    await putAndConfirm(client, accounts("b.example", "c.example"));
    const answer = await fetch(new URL("/_sandbox/records?stream=account", url), {
      headers: { "x-api-key": canaryKey },
    });
    const text = await answer.text();
    expect(text.trim().split("\n")).toHaveLength(2);
    expect(text).toContain("b.example");
    expect(text).not.toContain("a.example");
  });

  it.each([
    ["one body", uploadRecords],
    ["a file", putAndConfirm],
  ])("learns which records of %s were refused", async (_, send) => {
    const client = clientOf(await sandboxUrl());
    const error = await rejection(send(client, accounts("a.example", 7, "c.example")));
    expect(error).toBeInstanceOf(ApiRejectedError);
    expect(error).toMatchObject({ refused: [{ index: 1, field: "domain" }] });
  });

  it("learns that a file it confirms was never there", async () => {
    const client = clientOf(await sandboxUrl());
    const confirm = client.confirmUpload({ fileKey: "uploads/none", records: 1, signal: never });
    const error = await rejection(confirm);
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(error).toHaveProperty("retryBudget.becomes", expect.any(UploadGoneError));
  });
});

describe("createApiClient", () => {
  it.each(["", "canary\r\nx-evil: 1", "canary\n", "canary\u0000", "canary\u0100", "canary😀"])(
    "refuses the key %j by the setting's name",
    (key) => {
      const make = (): unknown => createApiClient({ ...settings, apiKey: new Secret(key) });
      expect(make).toThrow(ConfigError);
      expect(make).toThrow(expect.objectContaining({ field: "api.api_key" }));
      expect(make).not.toThrow(/canary/);
    },
  );

  it("sends a key of Latin-1 as it is", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, { status: "ok" }));
    await clientOf(url, { apiKey: new Secret("clé-ÿ") }).ping({ signal: never });
    expect(seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("clé-ÿ:", "latin1").toString("base64")}`,
    );
  });

  it.each([
    ["baseUrl", "api.base_url"],
    ["legacyBaseUrl", "api.legacy_base_url"],
  ])("refuses a %s that is not to be trusted as %s", (name, field) => {
    const make = (): unknown =>
      createApiClient({ ...settings, [name]: new URL("http://api.example") });
    expect(make).toThrow(expect.objectContaining({ code: "ConfigError", field }));
  });

  it("does not show the key", () => {
    const client = createApiClient(settings);
    expect(inspect(client, { depth: 20, showHidden: true })).not.toContain(canaryKey);
  });
});
