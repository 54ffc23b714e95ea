import { createHmac } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { stripe } from "../../../connectors/webhook/stripe.ts";
import { Secret } from "../../../src/security/secret.ts";
import { incoming } from "./support.ts";

const secret = "whsec_test_secret_of_stripe";
const secrets = [new Secret(secret)];
const body = '{"id":"evt_1"}';
const timestamp = "1614265330";
const at = Number(timestamp) * 1_000;
const vouched = { timestamp };
const badSignature = { refuse: 401, reason: "bad_signature" };
const badTimestamp = { refuse: 401, reason: "bad_timestamp" };

// openssl: printf '1614265330.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test_secret_of_stripe
const v1 = "fa24a3923b918c79e70d2e3b6088e6e35141c66306a1d5de5d2f6f290eeb949c";
const other = "0".repeat(64);

function verdict(header: string | undefined, receivedAt = at): object {
  return stripe.verify(incoming({ "stripe-signature": header }, body, receivedAt), secrets);
}

describe("stripe", () => {
  it("signs and believes as openssl does, with the whole text of the secret", () => {
    const header = `t=${timestamp},v1=${v1}`;
    expect(stripe.sign({ id: "x", body: Buffer.from(body), at }, new Secret(secret))).toEqual({
      "stripe-signature": header,
    });
    expect(verdict(header)).toEqual(vouched);
  });

  it.each([
    `t=${timestamp},v1=${other},v1=${v1}`,
    `t=${timestamp},v1=${v1},v1=${other},v0=${other}`,
    `v1=${v1},t=${timestamp}`,
    `t=${timestamp},v0=${other},v2=x,x,=,v1=${v1}`,
  ])("believes one right signature of several: %s", (header) => {
    expect(verdict(header)).toEqual(vouched);
  });

  it.each([
    `t=${timestamp}`,
    `t=${timestamp},v1=`,
    `t=${timestamp},v1=${other}`,
    `t=${timestamp},v0=${v1}`,
    `t=${timestamp},v1=${v1.toUpperCase()}`,
    `t=${timestamp},v1=${v1.slice(0, -1)}`,
    `t=${timestamp},V1=${v1}`,
    `t=1614265331,v1=${v1}`,
  ])("refuses the signature of %s", (header) => {
    expect(verdict(header)).toEqual(badSignature);
  });

  it.each([
    "",
    `v1=${v1}`,
    `t=,v1=${v1}`,
    `t=123abc,v1=${v1}`,
    `t=1.9,v1=${v1}`,
    `t=${timestamp},t=${timestamp},v1=${v1}`,
  ])("refuses the timestamp of %j", (header) => {
    expect(verdict(header)).toEqual(badTimestamp);
  });

  it("refuses a delivery without the header", () => {
    expect(verdict(undefined)).toEqual({ refuse: 401, reason: "no_signature" });
  });

  it("looks at 8 signatures and at no more", () => {
    const headers = [6, 7, 8].map(
      (others) => `t=${timestamp}${`,v1=${other}`.repeat(others)},v1=${v1}`,
    );
    expect(headers.map((header) => verdict(header))).toEqual([vouched, vouched, badSignature]);
  });

  it.each([-300_001, -300_000, -299_999, 299_999, 300_000, 300_001])(
    "takes a timestamp that is 300 s off, and none that is more: %i ms",
    (offMs) => {
      const reason = offMs > 0 ? "old_timestamp" : "future_timestamp";
      const expected = Math.abs(offMs) > 300_000 ? { refuse: 401, reason } : vouched;
      expect(verdict(`t=${timestamp},v1=${v1}`, at + offMs)).toEqual(expected);
    },
  );

  it("believes what node:crypto signed, and nothing with another byte", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
    const change = fc.record({ place: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(bytes, fc.string({ minLength: 16 }), change, (sent, key, { place, by }) => {
        const hmac = createHmac("sha256", key).update(`${timestamp}.`).update(sent).digest("hex");
        const headers = { "stripe-signature": `t=${timestamp},v1=${hmac}` };
        const known = [new Secret(key)];
        expect(stripe.verify(incoming(headers, sent, at), known)).toEqual(vouched);
        const changed = sent.map((byte, index) =>
          index === place % sent.length ? byte ^ by : byte,
        );
        expect(stripe.verify(incoming(headers, changed, at), known)).toEqual(badSignature);
      }),
    );
  });
});
