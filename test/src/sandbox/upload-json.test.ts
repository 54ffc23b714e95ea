import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { account, started, someText, textLike } from "./sandbox-client.ts";

const message = { message: someText };

const detailSchema = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()) })) });

function bodyNamed(name: string): string {
  return JSON.stringify({
    stream: "account",
    data: [{ account_id: "A", domain: "a.example", account_properties: { name } }],
  });
}

function bodyWith(properties: string): string {
  return `{"stream":"account","data":[{"account_id":"A","domain":"d","account_properties":${properties}}]}`;
}

/** A body of exactly this many bytes. */
function bodyOf(bytes: number): string {
  return bodyNamed("x".repeat(bytes - bodyNamed("").length));
}

describe("upload-json", () => {
  it("applies the records and gives their file key", async () => {
    const client = await started();
    const answer = await client.uploadJson([account(1), account(2)]);
    expect(answer.status).toBe(200);
    const [first, second] = await client.records();
    expect([first?.record, second?.record]).toEqual([account(1), account(2)]);
    expect(answer.body).toEqual({
      status: "success",
      message: "2 records accepted",
      file_key: first?.file_key,
    });
  });

  it("writes hash and count of its records into the ledger", async () => {
    const client = await started();
    await client.uploadJson([account(1), account(2)]);
    const jsonl = `${JSON.stringify(account(1))}\n${JSON.stringify(account(2))}\n`;
    expect(await client.ledger()).toEqual([
      {
        t: someText,
        fault: null,
        step: "upload-json",
        file_key: textLike(expect.stringMatching(/^uploads\/account\/.+\.jsonl$/)),
        gzip_sha256: null,
        jsonl_sha256: createHash("sha256").update(jsonl).digest("hex"),
        records: 2,
        bytes: Buffer.byteLength(
          JSON.stringify({ stream: "account", data: [account(1), account(2)] }),
        ),
        status: 200,
        applied: true,
      },
    ]);
  });

  it("names every refused record and applies nothing", async () => {
    const client = await started();
    const wrong = { ...account(2), domain: 7, extra: true };
    const answer = await client.uploadJson([account(1), wrong, "text"]);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ["body", "data", 1, "domain"], type: "invalid_type" },
          { loc: ["body", "data", 1, "extra"], type: "extra_forbidden" },
          { loc: ["body", "data", 2], type: "invalid_type" },
        ],
      },
    });
    expect(await client.records()).toEqual([]);
    expect(await client.ledger()).toMatchObject([{ status: 422, applied: false, records: 3 }]);
  });

  it("names at most 100 records", async () => {
    const client = await started();
    const { body } = await client.uploadJson(Array.from({ length: 101 }, () => ({})));
    const { detail } = detailSchema.parse(body);
    expect(new Set(detail.map(({ loc }) => loc[2])).size).toBe(100);
  });

  it.each([
    [999_999, 200],
    [1_000_000, 200],
    [1_000_001, 413],
  ])("answers a body of %i bytes with %i", async (bytes, status) => {
    const client = await started();
    const answer = await client.post("/ingestion/upload-json", bodyOf(bytes));
    expect(answer.status).toBe(status);
    expect(await client.records()).toHaveLength(status === 200 ? 1 : 0);
  });

  it("counts a body without a length while it comes", async () => {
    const client = await started({ bodyBytesMax: 1_000 });
    const sent = async (bytes: number): Promise<number> => {
      const body = new Blob([bodyOf(bytes)]).stream();
      const answer = await fetch(`${client.sandbox.address}/ingestion/upload-json`, {
        method: "POST",
        headers: { "x-api-key": "key", "content-type": "application/json" },
        body,
        duplex: "half",
      });
      return answer.status;
    };
    expect([await sent(999), await sent(1_000), await sent(1_001)]).toEqual([200, 200, 413]);
  });

  it.each([
    ["no stream", { data: [] }, ["body", "stream"]],
    ["an unknown stream", { stream: "deal", data: [] }, ["body", "stream"]],
    ["no data", { stream: "account" }, ["body", "data"]],
    ["data that is not an array", { stream: "account", data: {} }, ["body", "data"]],
    ["an unknown member", { stream: "account", data: [], more: 1 }, ["body", "more"]],
    ["no object", [], ["body"]],
    ["no JSON", '{"stream":', ["body"]],
  ])("answers 422 to %s", async (_name, body, loc) => {
    const client = await started();
    const answer = await client.post("/ingestion/upload-json", body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
  });

  it.each(["", "wrong"])("answers 401 to the key '%s'", async (key) => {
    const client = await started({ apiKeys: ["right"] });
    const answer = await client.post("/ingestion/upload-json", {}, { "x-api-key": key });
    expect(answer).toMatchObject({ status: 401, body: message });
  });

  it("answers 415 to what is not called JSON", async () => {
    const client = await started();
    const answer = await client.post(
      "/ingestion/upload-json",
      {},
      { "content-type": "text/plain" },
    );
    expect(answer).toMatchObject({ status: 415, body: message });
  });

  it("survives hostile JSON without a trace on the prototype (T8)", async () => {
    const client = await started();
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const status = async (body: string): Promise<number> =>
      (await client.post("/ingestion/upload-json", body)).status;
    expect(await status(deep)).toBe(422);
    expect(await status(bodyWith(`{"a":${deep}}`))).toBe(422);
    expect(await status(bodyWith('{"a":1e400}'))).toBe(422);
    expect(await status(bodyWith(String.raw`{"a":"\ud800"}`))).toBe(422);
    expect(await status(bodyWith('{"__proto__":{"polluted":true}}'))).toBe(200);
    expect(await status('{"stream":"account","data":[],"__proto__":{"stream":"contact"}}')).toBe(
      422,
    );
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect((await client.records()).length).toBe(1);
  });
});

describe("the addresses", () => {
  it.each(["/ingestion/nothing", "/v2/ping", "//", "/ingestion/upload-json/"])(
    "answers 404 to POST %s",
    async (path) => {
      const client = await started();
      expect(await client.post(path, {})).toMatchObject({ status: 404, body: message });
    },
  );
});

describe("a known address that is asked by another method", () => {
  it.each([
    ["GET", "/ingestion/upload-json", "POST"],
    ["PUT", "/search/accounts", "POST"],
    ["DELETE", "/v1/ping", "GET, HEAD"],
    ["POST", "/openapi.json", "GET, HEAD"],
    ["GET", "/_storage/uploads/a", "PUT"],
  ])("is answered 405, with what it takes: %s %s", async (method, path, allow) => {
    const client = await started();
    const answer = await fetch(`${client.sandbox.address}${path}`, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
  });

  it.each(["/v1/ping", "/openapi.json", "/_sandbox/ledger"])(
    "answers a HEAD as a GET, without its body: %s",
    async (path) => {
      const client = await started();
      const headers = { authorization: `Basic ${Buffer.from("key:").toString("base64")}` };
      const answer = await fetch(`${client.sandbox.address}${path}`, { method: "HEAD", headers });
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
    },
  );
});

describe("a POST whose body is no JSON", () => {
  const paths = [
    "/ingestion/upload-json",
    "/ingestion/generate-upload-url",
    "/ingestion/confirm-upload",
    "/search/accounts",
    "/search/persons",
    "/enrichment/job-postings",
  ];

  it.each(paths)("is answered 422 by %s when it has none", async (path) => {
    const client = await started();
    expect(await client.post(path, "")).toMatchObject({ status: 422 });
  });

  it("is refused when it is not UTF-8, and nothing of it is repaired", async () => {
    const client = await started();
    const [before = "", after = ""] = bodyNamed("MARK").split("MARK");
    const broken = Buffer.concat([
      Buffer.from(before),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(after),
    ]);
    expect(await client.post("/ingestion/upload-json", broken)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body"], msg: "Body is not UTF-8" }] },
    });
    expect(await client.records()).toEqual([]);
  });
});
