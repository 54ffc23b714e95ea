import { randomBytes } from "node:crypto";
import { once } from "node:events";

import { describe, expect, it } from "vitest";

import { SignedUrl } from "../../../src/api/signed-url.ts";
import { ApiUnavailableError, StagedFileMissingError, TooLargeError } from "../../../src/errors.ts";
import { uploadBytesMax } from "../../../src/limits.ts";
import {
  canaryKey,
  clientOf,
  never,
  notingLimiter,
  rejection,
  stageFile,
  startHttp,
  startServer,
  startSockets,
} from "./support.ts";

function signed(url: URL): SignedUrl {
  return new SignedUrl(new URL("/put?signature=canary-signature", url));
}

describe("putFile", () => {
  it("sends the file with its length and type, and without the key", async () => {
    const { url, seen } = await startServer((response) => response.end());
    const rateLimiter = notingLimiter();
    const told: number[] = [];
    const facts = await stageFile("staged bytes");
    await clientOf(url, { rateLimiter }).putFile({
      ...facts,
      uploadUrl: signed(url),
      signal: never,
      onBytes: (sent) => told.push(sent),
    });
    expect(seen).toMatchObject([
      { method: "PUT", path: "/put?signature=canary-signature", body: "staged bytes" },
    ]);
    expect(seen[0]?.headers).toMatchObject({
      "content-type": "application/jsonl",
      "content-encoding": "gzip",
      "content-length": "12",
    });
    expect(seen[0]?.headers).not.toHaveProperty("transfer-encoding");
    expect(JSON.stringify(seen)).not.toContain(canaryKey);
    expect(told).toEqual([12]);
    expect(rateLimiter.notes[0]).toEqual(["acquire", { kind: "storage", host: url.host }]);
  });

  it("arrives whole when it is larger than every buffer", async () => {
    const content = randomBytes(9_000_001);
    let arrived = 0;
    const url = await startHttp((request, response) => {
      request
        .on("data", (block: Buffer) => (arrived += block.length))
        .on("end", () => response.end());
    });
    await clientOf(url).putFile({
      ...(await stageFile(content)),
      uploadUrl: signed(url),
      signal: never,
    });
    expect(arrived).toBe(content.length);
  });

  it("never completes a file that is not the one staged", async () => {
    let completed = false;
    const url = await startHttp((request, response) => {
      request.resume().on("error", () => undefined);
      request.on("end", () => {
        completed = true;
        response.end();
      });
    });
    const facts = await stageFile(randomBytes(3_000_000));
    const error = await rejection(
      clientOf(url).putFile({
        ...facts,
        gzipSha256: "0".repeat(64),
        uploadUrl: signed(url),
        signal: never,
      }),
    );
    expect(error).toBeInstanceOf(StagedFileMissingError);
    expect(completed).toBe(false);
  });

  it("sends nothing of a file whose length is not the receipt's", async () => {
    const { url, seen } = await startServer((response) => response.end());
    const rateLimiter = notingLimiter();
    const facts = await stageFile("content");
    const error = await rejection(
      clientOf(url, { rateLimiter }).putFile({
        ...facts,
        bytes: 6,
        uploadUrl: signed(url),
        signal: never,
      }),
    );
    expect(error).toBeInstanceOf(StagedFileMissingError);
    expect(seen).toEqual([]);
    expect(rateLimiter.notes).toEqual([]);
  });

  it.each([
    [uploadBytesMax, StagedFileMissingError],
    [uploadBytesMax + 1, TooLargeError],
  ])(
    "judges a receipt of %i bytes by the limit before it looks at the file",
    async (bytes, expected) => {
      const { url } = await startServer((response) => response.end());
      const facts = { ...(await stageFile("content")), bytes };
      const error = await rejection(
        clientOf(url).putFile({ ...facts, uploadUrl: signed(url), signal: never }),
      );
      expect(error).toBeInstanceOf(expected);
    },
  );

  it("does not believe a 200 that came before the file was sent", async () => {
    const url = await startHttp((_, response) => response.end("stored"));
    const facts = await stageFile(randomBytes(50_000_000));
    const rateLimiter = notingLimiter();
    const error = await rejection(
      clientOf(url, { rateLimiter }).putFile({ ...facts, uploadUrl: signed(url), signal: never }),
    );
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(error).toMatchObject({
      message: `PUT ${url.origin}/[signed]: 200 before the whole file was sent`,
    });
    expect(rateLimiter.notes).not.toContainEqual(["succeeded", expect.anything()]);
  });

  it("asks for a fresh address when a 403 cuts the connection without reading on", async () => {
    const url = await startSockets((socket) => {
      socket.once("data", () => {
        socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", () =>
          socket.destroy(),
        );
      });
    });
    const facts = await stageFile(randomBytes(5_000_000));
    const error = await rejection(
      clientOf(url).putFile({ ...facts, uploadUrl: signed(url), signal: never }),
    );
    expect(error).toBeInstanceOf(ApiUnavailableError);
  });

  it("takes a 200 whose body is cut, because nobody needs it", async () => {
    const url = await startHttp((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(200, { "content-length": "100" }).write("half");
        setImmediate(() => request.socket.destroy());
      });
    });
    const facts = await stageFile("content");
    const result = clientOf(url).putFile({ ...facts, uploadUrl: signed(url), signal: never });
    await expect(result).resolves.toBeUndefined();
  });

  it("stops at once when its signal aborts, and lets the file go", async () => {
    const abort = new AbortController();
    const url = await startHttp((request) => {
      void once(request, "data").then(() => abort.abort(new Error("cancelled by a person")));
    });
    const facts = await stageFile(randomBytes(20_000_000));
    const error = await rejection(
      clientOf(url).putFile({ ...facts, uploadUrl: signed(url), signal: abort.signal }),
    );
    expect(error).toBe(abort.signal.reason);
  });
});
