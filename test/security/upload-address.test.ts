import dns from "node:dns";
import type { ServerResponse } from "node:http";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Resolve } from "../../src/api/http/address.ts";
import { ApiContractError } from "../../src/errors.ts";
import { clientOf, json, never, rejection, stageFile, startServer } from "../src/api/support.ts";

/** A name service that resolves every name to this machine. */
const everywhereHere: Resolve = (_host, _options, callback) => {
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
};

function resolveAllHere(): void {
  const { lookup } = dns;
  onTestFinished(() => void Object.assign(dns, { lookup }));
  Object.assign(dns, { lookup: everywhereHere });
}

/** A service at a public name that returns this upload address, and the requests it saw. */
async function hostileService(
  uploadUrl: (port: string) => string,
): Promise<{ readonly error: unknown; readonly requests: readonly string[] }> {
  resolveAllHere();
  const answer = (response: ServerResponse): void =>
    json(response, 200, { upload_url: uploadUrl(url.port), file_key: "k" });
  const { url, seen } = await startServer(answer);
  const base = new URL(`http://service.example:${url.port}`);
  const client = clientOf(base, { allowInsecureHosts: ["service.example"] });
  const sending = async (): Promise<void> => {
    const { uploadUrl: signed } = await client.generateUploadUrl({
      stream: "account",
      signal: never,
    });
    await client.putFile({ ...(await stageFile("rows")), uploadUrl: signed, signal: never });
  };
  const error = await rejection(sending());
  return { error, requests: seen.map(({ method }) => method) };
}

describe("an upload address that a hostile service gives (T2)", () => {
  it.each([
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[::]",
    "0.0.0.0",
    "169.254.169.254",
    "localhost.",
    "１２７.0.0.1",
    "127。0。0。1",
  ])("leads to no request to %s", async (host) => {
    for (const scheme of ["https", "http"]) {
      const { error, requests } = await hostileService((port) => `${scheme}://${host}:${port}/put`);
      expect(error).toBeInstanceOf(ApiContractError);
      expect(String(error)).toMatch(/upload_url has the private address/);
      expect(requests).toEqual(["POST"]);
    }
  });

  it.each([
    ["https://user:canary-password@storage.example/put", "has user info"],
    ["file:///etc/passwd", "is neither https nor http"],
    ["ftp://storage.example/put", "is neither https nor http"],
    ["javascript:alert(1)", "is neither https nor http"],
    ["//storage.example/put", "is not a URL"],
    ["https://", "is not a URL"],
  ])("leads to no request when it is %s", async (address, fault) => {
    const { error, requests } = await hostileService(() => address);
    expect(error).toBeInstanceOf(ApiContractError);
    expect(String(error)).toContain(`upload_url ${fault}`);
    expect(String(error)).not.toContain("canary");
    expect(requests).toEqual(["POST"]);
  });

  it.each(["rebound.example", "metadata.google.internal", "a.localhost", "127.0.0.1.nip.example"])(
    "leads to no request where the name %s turns to a private address",
    async (host) => {
      const { error, requests } = await hostileService((port) => `https://${host}:${port}/put`);
      expect(error).toBeInstanceOf(ApiContractError);
      expect(String(error)).toContain(`${host} resolves to a private address`);
      expect(requests).toEqual(["POST"]);
    },
  );
});
