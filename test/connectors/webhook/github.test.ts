import { createHmac } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { github } from "../../../connectors/webhook/github.ts";
import { Secret } from "../../../src/security/secret.ts";
import { incoming } from "./support.ts";

// The example of GitHub's own page "Validating webhook deliveries".
const secrets = [new Secret("It's a Secret to Everybody")];
const body = "Hello, World!";
const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

const badSignature = { refuse: 401, reason: "bad_signature" };

function verdict(header: string | undefined, sent: string = body): object {
  return github.verify(incoming({ "x-hub-signature-256": header }, sent), secrets);
}

describe("github", () => {
  it("signs and believes GitHub's example", () => {
    const unsigned = { id: "x", body: Buffer.from(body), at: 0 };
    expect(secrets.map((secret) => github.sign(unsigned, secret))).toEqual([
      { "x-hub-signature-256": signature },
    ]);
    expect(verdict(signature)).toEqual({});
  });

  it.each([
    "",
    "sha256=",
    signature.slice("sha256=".length),
    signature.slice(0, -1),
    signature.toUpperCase(),
    signature.replace("sha256", "sha1"),
    `${signature}, ${signature}`,
    `sha256=${"0".repeat(64)}`,
  ])("refuses the signature %j", (header) => {
    expect(verdict(header)).toEqual(badSignature);
  });

  it("refuses a body that was changed or written again", () => {
    expect(verdict(signature, "Hello, World")).toEqual(badSignature);
    expect(verdict(signature, "Hello,  World!")).toEqual(badSignature);
  });

  it("refuses a delivery without the header, one with the older header too", () => {
    expect(verdict(undefined)).toEqual({ refuse: 401, reason: "no_signature" });
    const sha1 = `sha1=${createHmac("sha1", "It's a Secret to Everybody").update(body).digest("hex")}`;
    expect(github.verify(incoming({ "x-hub-signature": sha1 }, body), secrets)).toEqual({
      refuse: 401,
      reason: "no_signature",
    });
  });

  it("believes what node:crypto signed with any of its secrets, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ minLength: 16 }), (sent, key) => {
        const hex = createHmac("sha256", key).update(sent).digest("hex");
        const request = incoming({ "x-hub-signature-256": `sha256=${hex}` }, sent);
        expect(github.verify(request, [...secrets, new Secret(key)])).toEqual({});
        expect(github.verify(request, secrets)).toEqual(badSignature);
      }),
    );
  });
});
