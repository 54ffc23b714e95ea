import { describe, expect, it } from "vitest";

import { FaultOrders } from "../../../src/sandbox/faults.ts";
import { account, gzipOf, started, someText, textLike } from "./sandbox-client.ts";

describe("the orders", () => {
  it("hits so many requests of its step, after so many others", () => {
    const orders = new FaultOrders();
    orders.order({ step: "put", after: 1, times: 2, do: { status: 503 } });
    expect(orders.next("ping")).toBeUndefined();
    expect([1, 2, 3, 4].map(() => orders.next("put"))).toEqual([
      undefined,
      { status: 503 },
      { status: 503 },
      undefined,
    ]);
  });

  it("gives of two that are due the first ordered, then the second", () => {
    const orders = new FaultOrders();
    orders.order({ step: "put", do: { status: 500 } });
    orders.order({ step: "put", do: { status: 503 } });
    expect([1, 2, 3].map(() => orders.next("put"))).toEqual([
      { status: 500 },
      { status: 503 },
      undefined,
    ]);
  });
});

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

  it("resets the connection behind a body that ends earlier", async () => {
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
    client.sandbox.order({ step: "upload-json", do: { delayMs: 300 } });
    const order: string[] = [];
    const delayed = client
      .uploadJson([account(1)])
      .then(({ status }) => order.push(`delayed ${status}`));
    await client.get("/v1/ping");
    order.push("ping");
    await delayed;
    expect(order).toEqual(["ping", "delayed 200"]);
  });
});
