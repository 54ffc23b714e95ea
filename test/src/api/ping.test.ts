import { describe, expect, it } from "vitest";

import {
  ApiAuthError,
  ApiUnavailableError,
  ConfigError,
  RateLimitedError,
} from "../../../src/errors.ts";
import {
  canaryKey,
  clientOf,
  json,
  never,
  notingLimiter,
  throttledWaitMs,
  rejection,
  startServer,
} from "./support.ts";

describe("ping", () => {
  it("authenticates with the key as user name and no password", async () => {
    const { url, seen } = await startServer((response) => json(response, 200, { status: "ok" }));
    const rateLimiter = notingLimiter();
    await clientOf(url, { legacyBaseUrl: new URL("/legacy/", url), rateLimiter }).ping({
      signal: never,
    });
    expect(seen).toMatchObject([{ method: "GET", path: "/legacy/v1/ping", body: "" }]);
    expect(seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`${canaryKey}:`).toString("base64")}`,
    );
    expect(seen[0]?.headers).not.toHaveProperty("x-api-key");
    const scope = { kind: "api", family: "legacy" };
    expect(rateLimiter.notes).toEqual([
      ["acquire", scope],
      ["succeeded", scope],
    ]);
  });

  it("blocks a key that is refused, and does not print it when the service does", async () => {
    const { url } = await startServer((response) =>
      json(response, 401, { message: `no such key ${canaryKey}` }),
    );
    const rateLimiter = notingLimiter();
    const error = await rejection(clientOf(url, { rateLimiter }).ping({ signal: never }));
    expect(error).toBeInstanceOf(ApiAuthError);
    expect(error).toMatchObject({
      field: "api.api_key",
      message: "GET /v1/ping: 401 no such key [secret], check SLUICE_API_KEY (api.api_key)",
    });
    expect(rateLimiter.notes).toContainEqual(["keyRefused"]);
  });

  it("waits as long as the rate limiter says", async () => {
    const { url } = await startServer((response) =>
      json(response, 429, { message: "rate limit", details: "600" }),
    );
    const rateLimiter = notingLimiter();
    const error = await rejection(clientOf(url, { rateLimiter }).ping({ signal: never }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({
      retryAfterMs: throttledWaitMs,
      message: "GET /v1/ping: 429 rate limit (600)",
    });
    expect(rateLimiter.notes).toContainEqual([
      "throttled",
      { kind: "api", family: "legacy" },
      undefined,
    ]);
  });

  it.each([{ status: "up" }, {}, []])("does not take %j for an answer", async (body) => {
    const { url } = await startServer((response) => json(response, 200, body));
    expect(await rejection(clientOf(url).ping({ signal: never }))).toBeInstanceOf(
      ApiUnavailableError,
    );
  });

  it("never sends the key by plain http to a host that is neither loopback nor listed", async () => {
    const { url } = await startServer((response) => json(response, 200, { status: "ok" }));
    const legacyBaseUrl = new URL("http://legacy.example");
    expect(() => clientOf(url, { legacyBaseUrl })).toThrow(ConfigError);
    expect(() => clientOf(url, { legacyBaseUrl })).toThrow(
      expect.objectContaining({ field: "api.legacy_base_url" }),
    );
  });
});
