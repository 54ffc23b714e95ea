import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { SignedUrl } from "../../../src/api/signed-url.ts";

describe("a signed URL", () => {
  const whole = "https://bucket.example:8443/uploads/secret-path?X-Amz-Signature=secret-signature";
  const url = new SignedUrl(new URL(whole));

  it.each([
    ["String", String(url)],
    ["JSON", JSON.stringify({ url })],
    ["inspect", inspect({ nested: [url] }, { showHidden: true, depth: 9 })],
    ["an error's message", new Error(`PUT ${String(url)}`).message],
  ])("shows its origin alone in %s", (_, shown) => {
    expect(shown).toContain("https://bucket.example:8443/[signed]");
    expect(shown).not.toContain("secret");
  });

  it("gives the address to the one who sends", () => {
    expect(url.reveal().href).toBe(whole);
    expect(url.host).toBe("bucket.example:8443");
  });

  it("cannot be changed through what it gave out", () => {
    url.reveal().host = "other.example";
    expect(url.host).toBe("bucket.example:8443");
  });
});
