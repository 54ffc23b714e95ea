import { describe, expect, it } from "vitest";

import { fileKeyCharsMax } from "../../../src/api/limits.ts";
import type { RateLimiter } from "../../../src/api/rate-limiter.ts";
import {
  ApiContractError,
  ApiRejectedError,
  ApiUnavailableError,
  OutcomeUnknownError,
  TooLargeError,
  UploadGoneError,
} from "../../../src/errors.ts";
import { lightweightBodyBytesMax } from "../../../src/limits.ts";
import {
  canaryKey,
  clientOf,
  confirmed,
  json,
  never,
  notingLimiter,
  rejection,
  startServer,
  uploaded,
} from "./support.ts";

const ingestion = { kind: "api", family: "ingestion" };

describe("uploadJson", () => {
  const input = {
    stream: "account",
    body: Buffer.from('{"stream":"account","data":[]}'),
    records: 4,
    signal: never,
  };

  it("posts the body as it is, with the key, and returns the file key", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, uploaded));
    const rateLimiter = notingLimiter();
    const answer = await clientOf(new URL("/api", url), { rateLimiter }).uploadJson(input);
    expect(answer).toEqual({ fileKey: uploaded.file_key });
    expect(seen).toMatchObject([
      {
        method: "POST",
        path: "/api/ingestion/upload-json",
        headers: {
          "content-type": "application/json",
          "x-api-key": canaryKey,
          "content-length": "30",
        },
        body: input.body.toString(),
      },
    ]);
    expect(rateLimiter.notes).toEqual([
      ["acquire", ingestion],
      ["succeeded", ingestion],
    ]);
  });

  it.each([lightweightBodyBytesMax - 1, lightweightBodyBytesMax])(
    "sends a body of %i bytes",
    async (bytes) => {
      const { url, seen } = await startServer((response) => json(response, 200, uploaded));
      await clientOf(url).uploadJson({ ...input, body: Buffer.alloc(bytes, " ") });
      expect(seen).toHaveLength(1);
    },
  );

  it("sends nothing of a body one byte above the limit", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, uploaded));
    const body = Buffer.alloc(lightweightBodyBytesMax + 1, " ");
    expect(await rejection(clientOf(url).uploadJson({ ...input, body }))).toBeInstanceOf(
      TooLargeError,
    );
    expect(seen).toEqual([]);
  });

  it("says which records were refused", async () => {
    const detail = [
      { loc: ["body", "data", 3, "domain"], msg: "acme", type: "missing", input: "acme" },
      { loc: ["body", "data", 0, "account_id"], msg: "", type: "string_type" },
    ];
    const { url } = await startServer((response) => json(response, 422, { detail }));
    const error = await rejection(clientOf(url).uploadJson(input));
    expect(error).toBeInstanceOf(ApiRejectedError);
    expect(error).toMatchObject({
      refused: [
        { index: 3, field: "domain" },
        { index: 0, field: "account_id" },
      ],
      message: "POST /ingestion/upload-json (account): 422 missing, string_type",
    });
  });

  it("names no record when the service speaks of more than were sent", async () => {
    const detail = [{ loc: ["body", "data", 4], msg: "", type: "missing" }];
    const { url } = await startServer((response) => json(response, 422, { detail }));
    expect(await rejection(clientOf(url).uploadJson(input))).toMatchObject({ refused: [] });
  });

  it.each([fileKeyCharsMax - 1, fileKeyCharsMax])(
    "takes a file key of %i characters",
    async (length) => {
      const fileKey = "k".repeat(length);
      const { url } = await startServer((response) =>
        json(response, 200, { ...uploaded, file_key: fileKey }),
      );
      expect(await clientOf(url).uploadJson(input)).toEqual({ fileKey });
    },
  );

  it.each([0, fileKeyCharsMax + 1])("does not take a file key of %i characters", async (length) => {
    const answer = { ...uploaded, file_key: "k".repeat(length) };
    const { url } = await startServer((response) => json(response, 200, answer));
    expect(await rejection(clientOf(url).uploadJson(input))).toBeInstanceOf(OutcomeUnknownError);
  });
});

describe("generateUploadUrl", () => {
  const input = { stream: "contact", signal: never };

  async function answered(
    uploadUrl: (base: URL) => string,
    changes: { allowInsecureHosts?: string[]; date?: string } = {},
  ): Promise<unknown> {
    const { url } = await startServer((response) => {
      if (changes.date !== undefined) response.setHeader("date", changes.date);
      json(response, 200, { upload_url: uploadUrl(url), file_key: "k" });
    });
    const { allowInsecureHosts = [] } = changes;
    return await clientOf(url, { allowInsecureHosts })
      .generateUploadUrl(input)
      .catch((error: unknown) => error);
  }

  it("asks for a gzip of JSON lines and hides the address it gets", async () => {
    const signed = "https://bucket.example/key?X-Amz-Signature=canary";
    const { url, seen } = await startServer((response) =>
      json(response, 200, { upload_url: signed, file_key: "uploads/2" }),
    );
    const { uploadUrl, fileKey } = await clientOf(url).generateUploadUrl(input);
    expect(fileKey).toBe("uploads/2");
    expect(uploadUrl.reveal().href).toBe(signed);
    expect(JSON.stringify(uploadUrl)).toBe('"https://bucket.example/[signed]"');
    expect(seen).toMatchObject([
      {
        method: "POST",
        path: "/ingestion/generate-upload-url",
        headers: { "x-api-key": canaryKey },
      },
    ]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      stream: "contact",
      content_type: "application/jsonl",
      content_encoding: "gzip",
    });
  });

  it.each([
    "http://bucket.example/?X-Amz-Signature=canary",
    "https://10.0.0.1/?X-Amz-Signature=canary",
    "https://169.254.169.254/?X-Amz-Signature=canary",
    "https://user:canary@bucket.example/",
    "file:///etc/passwd?canary",
    "https://bucket example/?canary",
    "/relative?canary",
  ])("refuses to be sent to %s, and does not repeat it", async (signed) => {
    const error = await answered(() => signed);
    expect(error).toBeInstanceOf(ApiContractError);
    expect(String(error)).not.toContain("canary");
  });

  it("lets itself be sent to loopback only by a service on loopback", async () => {
    expect(await answered((base) => new URL("/put", base).href)).toMatchObject({ fileKey: "k" });
    const { url } = await startServer((response) =>
      json(response, 200, { upload_url: "http://127.0.0.1:1/put", file_key: "k" }),
    );
    // A service that is not on loopback, spelt so that this machine answers for it.
    const listed = new URL(`http://0.0.0.0:${url.port}`);
    const client = clientOf(listed, { legacyBaseUrl: url, allowInsecureHosts: ["0.0.0.0"] });
    expect(await rejection(client.generateUploadUrl(input))).toBeInstanceOf(ApiContractError);
  });

  it("takes a listed host by plain http", async () => {
    const changes = { allowInsecureHosts: ["sandbox"] };
    expect(await answered(() => "http://sandbox:8089/put", changes)).toMatchObject({
      fileKey: "k",
    });
  });

  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777, ApiUnavailableError],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 784_111_778, Object],
  ])("with the answer's date %s and an expiry of %i gives %o", async (date, expires, outcome) => {
    expect(
      await answered(() => `https://bucket.example/?expires=${expires}`, { date }),
    ).toBeInstanceOf(outcome);
  });
});

describe("confirmUpload", () => {
  const input = { fileKey: "uploads/1", records: 100, signal: never };

  it("posts the file key", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, confirmed));
    await clientOf(url).confirmUpload(input);
    expect(seen).toMatchObject([
      {
        method: "POST",
        path: "/ingestion/confirm-upload",
        body: '{"file_key":"uploads/1"}',
        headers: { "x-api-key": canaryKey },
      },
    ]);
  });

  it("takes a file that was confirmed before for confirmed", async () => {
    const { url } = await startServer((response) =>
      json(response, 409, { message: "already confirmed" }),
    );
    const rateLimiter = notingLimiter();
    await clientOf(url, { rateLimiter }).confirmUpload(input);
    expect(rateLimiter.notes.at(-1)).toEqual(["succeeded", ingestion]);
  });

  it("has the file sent again after a 410", async () => {
    const { url } = await startServer((response) =>
      json(response, 410, { message: "no such upload" }),
    );
    const error = await rejection(clientOf(url).confirmUpload(input));
    expect(error).toBeInstanceOf(UploadGoneError);
    expect(error).toMatchObject({
      message: "POST /ingestion/confirm-upload: 410 no such upload",
    });
  });

  it("says which lines were refused", async () => {
    const detail = [{ loc: ["file", 99, "email"], msg: "", type: "missing" }];
    const { url } = await startServer((response) => json(response, 422, { detail }));
    expect(await rejection(clientOf(url).confirmUpload(input))).toMatchObject({
      refused: [{ index: 99, field: "email" }],
    });
  });

  it("does not leave while its limit is blocked", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, confirmed));
    const blocked = new Error("blocked");
    const acquire: RateLimiter["acquire"] = async () => await Promise.reject(blocked);
    expect(
      await rejection(
        clientOf(url, { rateLimiter: notingLimiter({ acquire }) }).confirmUpload(input),
      ),
    ).toBe(blocked);
    expect(seen).toEqual([]);
  });
});
