import { describe, expect, it } from "vitest";

import { signatureOf } from "../../../src/notify/sign.ts";
import { Secret } from "../../../src/secret.ts";

describe("signatureOf", () => {
  it("signs the example of Standard Webhooks as its libraries do", () => {
    const message = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    const secret = new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(signatureOf(message, secret)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("takes a text of another kind as it is", () => {
    const message = { id: "a", timestamp: 1, body: "{}" };
    // openssl: printf a.1.{} | openssl dgst -sha256 -hmac secret -binary | base64
    expect(signatureOf(message, new Secret("secret"))).toBe(
      "v1,DH9+vItb05LF5AmGVxmIk2XJE76uu57Vhud93LDFWM4=",
    );
  });
});
