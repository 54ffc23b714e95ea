import { describe, expect, it, vi } from "vitest";

import { RequestsPerMinute } from "../../../src/sandbox/http/api-keys.ts";
import { started, someText } from "./sandbox-client.ts";

function basic(text: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

describe("ping", () => {
  it("answers ok to any key as user name without a password", async () => {
    const client = await started();
    const answer = await client.get("/v1/ping", basic("some-key:"));
    expect(answer).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  it.each([
    ["no header", {}],
    ["an empty key", basic(":")],
    ["a password", basic("key:secret")],
    ["no colon", basic("key")],
    ["another scheme", { authorization: "Bearer key" }],
  ])("answers 401 to %s", async (_name, headers) => {
    const client = await started();
    const answer = await client.get("/v1/ping", headers);
    expect(answer).toMatchObject({ status: 401, body: { message: someText } });
  });

  it("lets in only the keys of the settings", async () => {
    const client = await started({ apiKeys: ["first", "second"] });
    const statuses = [];
    for (const key of ["first:", "second:", "secondary:", "secon:"]) {
      statuses.push((await client.get("/v1/ping", basic(key))).status);
    }
    expect(statuses).toEqual([200, 200, 401, 401]);
  });

  it("answers 429 beyond 600 requests of one key in a minute", async () => {
    const client = await started();
    vi.useFakeTimers({ toFake: ["Date"], now: 60_000 });
    try {
      const pings = Array.from({ length: 600 }, () => client.get("/v1/ping", basic("key:")));
      expect(new Set((await Promise.all(pings)).map(({ status }) => status))).toEqual(
        new Set([200]),
      );
      expect(await client.get("/v1/ping", basic("key:"))).toMatchObject({
        status: 429,
        body: { message: someText, details: someText },
      });
      expect((await client.get("/v1/ping", basic("other:"))).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the requests of a minute", () => {
  it("begins anew with each minute", () => {
    const window = new RequestsPerMinute(600);
    const within = Array.from({ length: 602 }, () => window.isWithin("key", 59_999));
    expect(within.slice(598)).toEqual([true, true, false, false]);
    expect(window.isWithin("key", 60_000)).toBe(true);
  });
});
