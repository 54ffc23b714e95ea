import { describe, expect, it, vi } from "vitest";

import { Quota } from "../../../../src/sandbox/http/quota.ts";
import { account, gzipOf, started } from "../sandbox-client.ts";

/** The fault that refuses each of this many calls of a key; null if none does. */
function refusals(quota: Quota, calls: number, atMs = 0): (string | null)[] {
  return Array.from({ length: calls }, () => quota.take("key", atMs)?.fault ?? null);
}

describe("the quota", () => {
  it("refuses the calls after the last credit, of each key by itself", () => {
    const quota = new Quota({ creditCalls: 3 });
    const spent = "credits-exhausted";
    expect(refusals(quota, 5)).toEqual([null, null, null, spent, spent]);
    expect(quota.take("other", 0)).toBeUndefined();
  });

  it("refuses the calls beyond those of a clock minute, and says when the next begins", () => {
    const quota = new Quota({ requestsPerMinute: 2 });
    expect(refusals(quota, 3, 59_001)).toEqual([null, null, "too-many-requests"]);
    expect(quota.take("key", 59_001)?.answer.headers["retry-after"]).toBe("1");
    expect(refusals(quota, 2, 60_000)).toEqual([null, null]);
    expect(quota.take("key", 60_000)?.answer.headers["retry-after"]).toBe("60");
  });

  it("does not charge a call that came too soon", () => {
    const quota = new Quota({ requestsPerMinute: 1, creditCalls: 2 });
    expect(refusals(quota, 3)).toEqual([null, "too-many-requests", "too-many-requests"]);
    expect(refusals(quota, 1, 60_000)).toEqual([null]);
    expect(refusals(quota, 1, 120_000)).toEqual(["credits-exhausted"]);
  });

  it("limits nothing by itself", () => {
    expect(new Set(refusals(new Quota({}), 10_000))).toEqual(new Set([null]));
  });
});

describe("a sandbox with credits", () => {
  it("charges refused and repeated calls, and neither PUT nor ping", async () => {
    const client = await started({ creditCalls: 4 });
    const file = gzipOf([account(1)]);
    const { url, fileKey } = await client.uploadAddress();
    await client.put(url, file);
    await client.put(url, file);
    await client.get("/v1/ping");
    await client.post("/ingestion/upload-json", "not JSON");
    expect((await client.confirm(fileKey)).status).toBe(200);
    expect((await client.confirm(fileKey)).status).toBe(200);
    const refused = await client.confirm(fileKey);
    expect(refused).toMatchObject({ status: 429, body: { message: "Credits exhausted" } });
    expect((await client.ledger()).at(-1)).toMatchObject({
      status: 429,
      applied: false,
      fault: "credits-exhausted",
    });
  });
});

describe("a sandbox with requests per minute", () => {
  it("answers 429 with Retry-After until the minute is over", async () => {
    const client = await started({ requestsPerMinute: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: 90_000 });
    try {
      expect((await client.uploadJson([account(1)])).status).toBe(200);
      const refused = await client.uploadJson([account(2)]);
      expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "30" } });
      expect((await client.ledger()).at(-1)).toMatchObject({ fault: "too-many-requests" });
      vi.setSystemTime(120_000);
      expect((await client.uploadJson([account(2)])).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});
