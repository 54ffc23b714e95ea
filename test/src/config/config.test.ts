import { describe, expect, it } from "vitest";

import { targetOf } from "../../../src/config/config.ts";

describe("targetOf", () => {
  it("is the origin and the account, so that neither path nor key matters", () => {
    const baseUrl = new URL("https://API.example.com:443/v2");
    expect(targetOf({ baseUrl, account: "main" })).toBe("https://api.example.com main");
  });

  it("is one word for the sandbox", () => {
    expect(targetOf({ baseUrl: "sandbox", account: "other" })).toBe("sandbox");
  });
});
