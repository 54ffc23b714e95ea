import { hash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

import { describe, expect, it } from "vitest";

import type { SandboxFault, Step } from "../../../../src/sandbox/faults/faults.ts";
import {
  account,
  gzipOf,
  type SandboxClient,
  started,
  someText,
  textLike,
} from "../sandbox-client.ts";

describe("an ordered fault", () => {
  it("answers with the status, headers and body it says, and applies nothing", async () => {
    const client = await started();
    const body = { message: "credits exhausted", details: "until tomorrow" };
    client.sandbox.order({
      step: "upload-json",
      do: { status: 429, headers: { "retry-after": "3" }, body },
    });
    const answer = await client.uploadJson([account(1)]);
    expect(answer).toMatchObject({ status: 429, body, headers: { "retry-after": "3" } });
    expect(await client.ledger()).toMatchObject([{ status: 429, applied: false }]);
    expect((await client.uploadJson([account(1)])).status).toBe(200);
  });

  it("answers in the envelope of its step when it has no body, and a text as it is", async () => {
    const client = await started({
      faults: [
        { step: "put", do: { status: 503 } },
        { step: "ping", do: { status: 500 } },
        {
          step: "ping",
          do: { status: 200, headers: { "content-type": "text/html" }, body: "<html>" },
        },
      ],
    });
    const { url } = await client.uploadAddress();
    const put = await client.put(url, gzipOf([account(1)]));
    expect(put).toMatchObject({
      status: 503,
      body: textLike(expect.stringContaining("<Error><Code>")),
    });
    expect(await client.get("/v1/ping")).toMatchObject({
      status: 500,
      body: { message: someText },
    });
    expect(await client.get("/v1/ping")).toMatchObject({ status: 200, body: "<html>" });
  });

  it("drops the reply after the work is done", async () => {
    const client = await started();
    const fileKey = await client.upload(gzipOf([account(1)]));
    client.sandbox.order({ step: "confirm-upload", do: { dropReply: true } });
    await expect(client.confirm(fileKey)).rejects.toThrow(/other side closed|ECONNRESET/);
    expect((await client.ledger()).at(-1)).toMatchObject({ status: 200, applied: true });
    expect(await client.records()).toHaveLength(1);
    expect((await client.confirm(fileKey)).status).toBe(200);
  });

  it("drops the request before any work is done", async () => {
    const client = await started();
    client.sandbox.order({ step: "upload-json", do: { dropRequest: true } });
    await expect(client.uploadJson([account(1)])).rejects.toThrow(/other side closed|ECONNRESET/);
    const bytes = Buffer.byteLength(JSON.stringify({ stream: "account", data: [account(1)] }));
    expect(await client.ledger()).toMatchObject([{ status: null, applied: false, bytes }]);
    expect(await client.records()).toEqual([]);
  });

  it("resets the connection within the body", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    client.sandbox.order({ step: "put", do: { resetAt: 100_000 } });
    const file = Buffer.alloc(20_000_000, 1);
    await expect(client.put(url, file)).rejects.toThrow(/ECONNRESET|EPIPE|other side closed/);
    const entry = (await client.ledger()).at(-1);
    expect(entry).toMatchObject({ step: "put", status: null });
    expect(Number(entry?.["bytes"])).toBeGreaterThanOrEqual(100_000);
    expect(Number(entry?.["bytes"])).toBeLessThan(file.length);
    expect((await client.confirm(fileKey)).status).toBe(404);
  });

  it("resets the connection after a body that ends earlier", async () => {
    const client = await started();
    client.sandbox.order({ step: "upload-json", do: { resetAt: 1_000_000 } });
    await expect(client.uploadJson([account(1)])).rejects.toThrow(/ECONNRESET/);
    expect(await client.records()).toEqual([]);
  });

  it("gives an address that has expired, or finds one expired", async () => {
    const client = await started();
    const file = gzipOf([account(1)]);
    client.sandbox.order({ step: "generate-upload-url", do: { expireUrl: true } });
    const expired = await client.uploadAddress();
    expect((await client.put(expired.url, file)).status).toBe(403);
    const { url } = await client.uploadAddress();
    client.sandbox.order({ step: "put", do: { expireUrl: true } });
    expect(await client.put(url, file)).toMatchObject({
      status: 403,
      body: textLike(expect.stringContaining("Request has expired")),
    });
    expect((await client.put(url, file)).status).toBe(200);
  });

  it("delays a request, while others are answered", async () => {
    const client = await started();
    client.sandbox.order({ step: "upload-json", do: { delayMs: 200 } });
    const since = performance.now();
    expect((await client.uploadJson([account(1)])).status).toBe(200);
    expect(performance.now() - since).toBeGreaterThan(190);
    client.sandbox.order({ step: "upload-json", do: { delayMs: 600_000 } });
    const delayed = Promise.allSettled([client.uploadJson([account(2)])]);
    await client.get("/v1/ping");
    expect((await client.ledger()).map(({ step }) => step)).toEqual(["upload-json", "ping"]);
    await client.close();
    expect((await delayed).map(({ status }) => status)).toEqual(["rejected"]);
  });
});

function every(step: Step): SandboxFault {
  return { step, oneIn: 3, do: { status: 503 } };
}

describe("a fault that hits one in so many", () => {
  const numbers = Array.from({ length: 24 }, (_, number) => number);
  // Names, and so bodies and files, of different lengths; the same each time, because with random ones sometimes hardly
  // any is hit.
  const records = numbers.map((number) => {
    const pieces = Array.from({ length: number }, (_, at) => hash("sha1", `${number} ${at}`));
    return { ...account(number), account_properties: { name: pieces.join("") } };
  });

  /** The numbers of the records whose requests are hit when they come in this order. */
  async function hitBy(step: Step, order: readonly number[]): Promise<number[]> {
    const client = await started({ faults: [every(step)], seed: 5 });
    const hit: number[] = [];
    for (const number of order) {
      const status = await statusOf(client, step, [records[number]]);
      if (status === 503) hit.push(number);
    }
    return hit.toSorted((a, b) => a - b);
  }

  it.each(["upload-json", "put", "confirm-upload"] as const)(
    "hits the same content whatever the order and the file keys: %s",
    async (step) => {
      const hit = await hitBy(step, numbers);
      expect(hit.length).toBeGreaterThan(2);
      expect(hit.length).toBeLessThan(20);
      expect(await hitBy(step, numbers.toReversed())).toEqual(hit);
    },
  );

  it("takes a confirm that comes in two pieces", async () => {
    const client = await started({ faults: [every("confirm-upload")] });
    const body = JSON.stringify({ file_key: await client.upload(gzipOf([account(1)])) });
    const { hostname, port } = new URL(client.sandbox.address);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    const head = "content-type: application/json\r\nx-api-key: key\r\nconnection: close";
    const length = `content-length: ${body.length}`;
    socket.write(
      `POST /ingestion/confirm-upload HTTP/1.1\r\nhost: x\r\n${head}\r\n${length}\r\n\r\n`,
    );
    socket.write(body.slice(0, 9));
    await client.get("/openapi.json");
    socket.write(body.slice(9));
    const answer: unknown[] = await once(socket, "data");
    expect(String(answer[0])).toMatch(/^HTTP\/1.1 (?:200|503) /);
  });
});

/** The status of a step's answer to these records, after the steps before it. */
async function statusOf(
  client: SandboxClient,
  step: Step,
  records: readonly unknown[],
): Promise<number> {
  if (step === "upload-json") return (await client.uploadJson(records)).status;
  const { url, fileKey } = await client.uploadAddress();
  const { status } = await client.put(url, gzipOf(records));
  return step === "put" ? status : (await client.confirm(fileKey)).status;
}

describe("a strict sandbox", () => {
  it("applies a file again when its confirm is repeated", async () => {
    const client = await started({ confirms: "strict" });
    const old = await client.upload(gzipOf([account(1), account(2)]));
    await client.confirm(old);
    await client.uploadJson([{ ...account(1), domain: "newer.example" }]);
    expect((await client.confirm(old)).status).toBe(200);
    const applied = (await client.ledger()).map((entry) => [entry.applied, entry["records"]]);
    expect(applied.slice(2)).toEqual([
      [true, 2],
      [true, 1],
      [true, 2],
    ]);
    expect((await client.records()).map(({ record }) => record)).toEqual([account(1), account(2)]);
  });

  it("is not the default", async () => {
    const client = await started();
    const fileKey = await client.upload(gzipOf([account(1)]));
    await client.confirm(fileKey);
    expect((await client.confirm(fileKey)).status).toBe(200);
    expect((await client.ledger()).map(({ applied }) => applied).slice(2)).toEqual([true, false]);
  });
});
