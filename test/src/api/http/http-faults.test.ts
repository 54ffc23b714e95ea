import dns from "node:dns";
import { gzipSync } from "node:zlib";

import { describe, expect, it, onTestFinished } from "vitest";

import type { EndpointName } from "../../../../src/api/endpoints.ts";
import type { Resolve } from "../../../../src/api/http/address.ts";
import { answerBytesMax } from "../../../../src/api/limits.ts";
import {
  ApiContractError,
  ApiUnavailableError,
  ConfigError,
  OutcomeUnknownError,
  RateLimitedError,
  SluiceError,
} from "../../../../src/errors.ts";
import { refusing } from "../../../support/raw-server.ts";
import {
  clientOf,
  confirmed,
  json,
  never,
  perform,
  rejection,
  startSelfSigned,
  startServer,
  startSockets,
} from "../support.ts";

const confirm = { fileKey: "uploads/1", records: 10, signal: never };
const brief = { requestMs: 300, headersMs: 10_000, putBaseMs: 300, putHeadersMs: 10_000 };

/** The failure types of G, P, C and J (docs/facts/faults.md#actions). */
async function typesOf(url: URL, timeouts = {}): Promise<string> {
  const asked: EndpointName[] = ["generateUploadUrl", "putFile", "confirmUpload", "uploadJson"];
  const client = clientOf(url, { timeouts });
  const errors = await Promise.all(
    asked.map(async (endpoint) => await rejection(perform(endpoint, client, { url }))),
  );
  return errors
    .map((error) => (error instanceof SluiceError ? error.code : String(error)))
    .join(" ");
}

const unknown = "Unavailable Unavailable OutcomeUnknown OutcomeUnknown";

/** A name service that resolves every name to this machine. */
const rebound: Resolve = (_host, _options, callback) => {
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
};

describe("faults of the connection", () => {
  it("knows that nothing left by a refused connection", async () => {
    const url = await refusing();
    expect(await typesOf(url)).toBe("Unavailable Unavailable Unavailable Unavailable");
  });

  it("does not know what a reset before the answer means", async () => {
    const url = await startSockets((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await typesOf(url)).toBe(unknown);
  });

  it("does not know what garbage means", async () => {
    const url = await startSockets((socket) =>
      socket.once("data", () => socket.end("SSH-2.0\r\n")),
    );
    expect(await typesOf(url)).toBe(unknown);
  });

  it("gives up a server that never answers, at the deadline", async () => {
    const { url } = await startServer(() => undefined);
    expect(await typesOf(url, brief)).toBe(unknown);
  });

  it("gives up a server that never answers, at the limit of its silence", async () => {
    const { url } = await startServer(() => undefined);
    expect(await typesOf(url, { headersMs: 100, putHeadersMs: 100 })).toBe(unknown);
  });

  it("ends an answer that drips, however lively it is, and needs none for the PUT", async () => {
    const { url } = await startServer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    });
    const client = clientOf(url, { timeouts: brief });
    expect(await rejection(perform("generateUploadUrl", client, { url }))).toBeInstanceOf(
      ApiUnavailableError,
    );
    expect(await rejection(perform("confirmUpload", client, { url }))).toBeInstanceOf(
      OutcomeUnknownError,
    );
    expect(await rejection(perform("uploadJson", client, { url }))).toBeInstanceOf(
      OutcomeUnknownError,
    );
    // The status comes at once; only a test that is stalled for two seconds misses it.
    const patient = clientOf(url, { timeouts: { ...brief, putBaseMs: 2_000 } });
    await perform("putFile", patient, { url });
  });

  it.each([
    ["whose length is known", { "content-length": "1000" }],
    ["that ends with the connection", { connection: "close" }],
  ])("does not take a cut answer for one: %s", async (_, headers) => {
    const { url } = await startServer((response) => {
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, headers);
      response.write('{"status":"success","message":"');
      setImmediate(() => response.socket?.end());
    });
    const client = clientOf(url);
    expect(await rejection(perform("confirmUpload", client, { url }))).toBeInstanceOf(
      OutcomeUnknownError,
    );
    expect(await rejection(perform("generateUploadUrl", client, { url }))).toBeInstanceOf(
      ApiUnavailableError,
    );
  });

  it("lets the status stand when the rest of a refusal is cut", async () => {
    const { url } = await startServer((response) => {
      response.writeHead(429, { "content-length": "1000", "retry-after": "3" }).write("{");
      setImmediate(() => response.socket?.destroy());
    });
    expect(await rejection(clientOf(url).confirmUpload(confirm))).toBeInstanceOf(RateLimitedError);
  });

  it.each([
    [answerBytesMax - 1, "read"],
    [answerBytesMax, "read"],
    [answerBytesMax + 1, "ContractBroken"],
  ])("judges an answer of %i bytes: %s", async (bytes, outcome) => {
    const { url } = await startServer((response) =>
      response.end(JSON.stringify(confirmed).padEnd(bytes)),
    );
    const result = await clientOf(url)
      .confirmUpload(confirm)
      .then(
        () => "read",
        (error: unknown) => (error instanceof SluiceError ? error.code : ""),
      );
    expect(result).toBe(outcome);
  });

  it("stops reading an answer without end (T17)", async () => {
    const { url } = await startServer((response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", pour);
      pour();
    });
    const error = await rejection(perform("generateUploadUrl", clientOf(url), { url }));
    expect(error).toBeInstanceOf(ApiContractError);
    expect(String(error)).toContain("UND_ERR_RES_EXCEEDED_MAX_SIZE");
  });

  it("has a service that compresses unless it is told not to answer as it is", async () => {
    const { url } = await startServer((response, { headers }) => {
      const text = JSON.stringify(confirmed);
      if (headers["accept-encoding"] === "identity") return json(response, 200, confirmed);
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(text));
    });
    expect(await clientOf(url).confirmUpload(confirm)).toEqual({ note: undefined });
  });

  it("does not unpack an answer", async () => {
    const { url } = await startServer((response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(Buffer.from("1f8b0800", "hex"));
    });
    expect(await rejection(clientOf(url).confirmUpload(confirm))).toBeInstanceOf(
      OutcomeUnknownError,
    );
  });

  it("does not go where a name leads that has turned to a private address (T2)", async () => {
    const { url, seen } = await startServer((response) => response.end());
    // Simulates another name service: the name resolves to the server above.
    const { lookup } = dns;
    onTestFinished(() => void Object.assign(dns, { lookup }));
    Object.assign(dns, { lookup: rebound });
    const client = clientOf(new URL(`https://rebound.example:${url.port}`));
    const error = await rejection(client.confirmUpload(confirm));
    expect(error).toBeInstanceOf(ApiContractError);
    expect(String(error)).toContain("rebound.example resolves to a private address");
    expect(seen).toEqual([]);
  });

  it("trusts no certificate that nobody vouches for", async () => {
    const { url, seen } = await startSelfSigned();
    expect(await typesOf(url)).toBe("ConfigError ContractBroken ConfigError ConfigError");
    expect(await rejection(clientOf(url).ping({ signal: never }))).toMatchObject({
      field: "api.legacy_base_url",
    });
    expect(seen).toEqual([]);
  });

  it("says that a server speaks no TLS", async () => {
    const { url } = await startServer((response) => response.end());
    const error = await rejection(clientOf(new URL(`https://${url.host}`)).confirmUpload(confirm));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ field: "api.base_url" });
  });
});
