import { describe, expect, it } from "vitest";

import { Secret } from "../../../src/security/secret.ts";
import { isBase64Key, keyOf, signaturesOf } from "../../../src/security/standard-webhooks.ts";

describe("signaturesOf", () => {
  it("signs the example of Standard Webhooks as its libraries do", () => {
    const message = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    const secret = new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(signaturesOf(message, secret)).toEqual([
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ]);
  });

  it("takes a text of another kind as it is", () => {
    const message = { id: "a", timestamp: 1, body: "{}" };
    // openssl: printf a.1.{} | openssl dgst -sha256 -hmac secret -binary | base64
    expect(signaturesOf(message, new Secret("secret"))).toEqual([
      "v1,DH9+vItb05LF5AmGVxmIk2XJE76uu57Vhud93LDFWM4=",
    ]);
  });

  it("signs bytes as the text that they are, and broken text as the bytes that it is", () => {
    const message = { id: "a", timestamp: "1", body: "{}" };
    const secret = new Secret("secret");
    const signed = signaturesOf(message, secret);
    expect(signaturesOf({ ...message, body: Buffer.from("{}") }, secret)).toEqual(signed);
    const broken = [0xff, 0xfe].flatMap((byte) =>
      signaturesOf({ ...message, body: Buffer.from([byte]) }, secret),
    );
    expect(new Set(broken).size).toBe(2);
  });
});

describe("isBase64Key", () => {
  it.each([
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true],
    ["whsec_AA==", true],
    ["whsec_AAA=", true],
    ["whsec_AA", false],
    ["whsec_A===", false],
    ["whsec_AA=A", false],
    ["whsec_AA-_", false],
    ["whsec_AAAA\n", false],
    ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", false],
  ])("takes %j for a key in base64: %j", (secret, isKey) => {
    expect(isBase64Key(secret)).toBe(isKey);
  });
});

describe("keyOf", () => {
  it("reads base64 after whsec_, and any other text as it is", () => {
    expect(keyOf("whsec_AAEC").export()).toEqual(Buffer.from([0, 1, 2]));
    expect(keyOf("AAEC").export()).toEqual(Buffer.from("AAEC"));
    expect(keyOf("é").symmetricKeySize).toBe(2);
  });
});
