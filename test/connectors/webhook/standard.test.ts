import { createHmac } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Incoming } from "../../../connectors/contract/push.ts";
import { standard } from "../../../connectors/webhook/standard.ts";
import { Secret } from "../../../src/security/secret.ts";
import { incoming, published, publishedAt } from "./support.ts";

const secrets = [new Secret(published.secret)];
const vouched = { timestamp: published.timestamp };
const otherSignature = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

const headers = {
  "webhook-id": published.id,
  "webhook-timestamp": published.timestamp,
  "webhook-signature": published.signature,
};

function refused(reason: string): object {
  return { refuse: 401, reason };
}

const badId = { refuse: 400, reason: "bad_id" };

/** The verdict on the published example with other headers. */
function verdict(other: object, receivedAt = publishedAt): object {
  return standard.verify(incoming({ ...headers, ...other }, published.body, receivedAt), secrets);
}

const publishedKey = Buffer.from(published.secret.slice("whsec_".length), "base64");

/** A delivery signed without our own code. */
function signed(message: {
  readonly id?: string;
  readonly timestamp?: string;
  readonly body?: Uint8Array;
  readonly key?: Uint8Array;
}): Incoming {
  const { id = "a", timestamp = published.timestamp, key = publishedKey } = message;
  const { body = Buffer.from("{}") } = message;
  const hmac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return incoming(
    {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${hmac.digest("base64")}`,
    },
    body,
  );
}

/** The verdict on the published example with its signature after this many others. */
function verdictBehind(others: number): object {
  const given = [...Array<string>(others).fill(otherSignature), published.signature];
  return verdict({ "webhook-signature": given.join(" ") });
}

describe("standard", () => {
  it("believes the published example", () => {
    expect(verdict({})).toEqual(vouched);
  });

  it("signs the published example as its libraries do", () => {
    const { id, body } = published;
    const unsigned = { id, body: Buffer.from(body), at: publishedAt + 999 };
    expect(standard.sign(unsigned, new Secret(published.secret))).toEqual(headers);
  });

  it.each(Object.keys(headers))("refuses a delivery without %s", (name) => {
    expect(verdict({ [name]: undefined })).toEqual(refused("no_signature"));
  });

  it.each([
    "",
    otherSignature,
    "v1,",
    "v1,g0hM9SsE",
    "v1,dawfeoifkpqwoekfpqoekf",
    published.signature.slice(0, -1),
    published.signature.slice("v1,".length),
    published.signature.replace("v1,", "v1a,"),
    published.signature.replace("v1,", "v2,"),
    published.signature.replace("v1,", "V1,"),
    published.signature.replaceAll("+", "-").replaceAll("/", "_"),
    `${published.signature},${published.signature}`,
  ])("refuses the signature %j", (signature) => {
    expect(verdict({ "webhook-signature": signature })).toEqual(refused("bad_signature"));
  });

  it.each([
    ["last", [otherSignature, otherSignature.replace("v1", "v2"), published.signature]],
    ["first", [published.signature, otherSignature]],
    ["after those of versions nobody knows", ["v3,x", "nonsense", "", published.signature]],
    ["behind many of those", [...Array<string>(50).fill("v1a,x"), published.signature]],
  ])("believes a signature that stands %s of several", (_, signatures) => {
    expect(verdict({ "webhook-signature": signatures.join(" ") })).toEqual(vouched);
  });

  it("looks at 8 signatures and at no more", () => {
    expect([6, 7, 8].map(verdictBehind)).toEqual([vouched, vouched, refused("bad_signature")]);
  });

  it.each([-300_001, -300_000, -299_999, 299_999, 300_000, 300_001])(
    "takes a timestamp that is 300 s off, and none that is more: %i ms",
    (offMs) => {
      const reason = offMs > 0 ? "old_timestamp" : "future_timestamp";
      const expected = Math.abs(offMs) > 300_000 ? refused(reason) : vouched;
      expect(verdict({}, publishedAt + offMs)).toEqual(expected);
    },
  );

  it("refuses a delivery that is replayed after 301 s (T16)", () => {
    expect(verdict({}, publishedAt + 301_000)).toEqual(refused("old_timestamp"));
  });

  it.each([
    "",
    "hello",
    "1614265330abc",
    "1614265330.9",
    " 1614265330",
    "+1614265330",
    "-1614265330",
    "1614265330\n",
    "1e9",
    "0x60",
    "１６１４２６５３３０",
    "1614265330, 1614265330",
    "0".repeat(3) + published.timestamp,
  ])("refuses the timestamp %j, though it is signed", (timestamp) => {
    expect(standard.verify(signed({ timestamp }), secrets)).toEqual(refused("bad_timestamp"));
  });

  it.each([
    ["", false],
    ["a.b", false],
    [".", false],
    ["a\n", false],
    ["a\u007f", false],
    ["a\u0085", false],
    ["a", true],
    ["a b", true],
    ["a, b", true],
    ["A-z_0", true],
    ["urn:event/7=~@", true],
    ["é", true],
    ["a".repeat(255), true],
    ["a".repeat(256), true],
    ["a".repeat(257), false],
  ])("takes the id %j: %j (T16)", (id, isTaken) => {
    expect(standard.verify(signed({ id }), secrets)).toMatchObject(isTaken ? vouched : badId);
  });

  it("reads an id as the bytes that were signed", () => {
    const { headers: sent, ...rest } = signed({ id: "événement-7" });
    const asNodeReadsIt = Buffer.from("événement-7").toString("latin1");
    const request = { ...rest, headers: { ...sent, "webhook-id": asNodeReadsIt } };
    expect(standard.verify(request, secrets)).toEqual(vouched);
  });

  it("says nothing of its id to a sender whose signature is wrong", () => {
    const request = signed({ id: "a.b", key: Buffer.from("another key of 24 bytes.") });
    expect(standard.verify(request, secrets)).toEqual(refused("bad_signature"));
  });

  it.each([24, 32, 64])("believes a key of %i bytes that was given as bare base64", (length) => {
    const key = Buffer.alloc(length, 7);
    const bare = key.toString("base64");
    const known = [new Secret(bare)];
    expect(standard.verify(signed({ key }), known)).toEqual(vouched);
    expect(standard.verify(signed({ key: Buffer.from(bare) }), known)).toEqual(vouched);
  });

  it.each([
    ["too short", Buffer.alloc(23, 7).toString("base64")],
    ["too long", Buffer.alloc(65, 7).toString("base64")],
    ["of its prefix", `whsec_${Buffer.alloc(24, 7).toString("base64")}x`],
  ])("takes no text for base64 that is none: %s", (_, text) => {
    const key = Buffer.from(text, "base64");
    expect(standard.verify(signed({ key }), [new Secret(text)])).toEqual(refused("bad_signature"));
  });

  it("refuses an id and a body that were parted elsewhere than they were signed", () => {
    const { secret, timestamp } = published;
    const unsigned = { id: "a", body: Buffer.from(`${timestamp}.{}`), at: publishedAt };
    const { "webhook-signature": signature } = standard.sign(unsigned, new Secret(secret));
    const moved = { ...headers, "webhook-id": `a.${timestamp}`, "webhook-signature": signature };
    expect(standard.verify(incoming(moved, "{}"), secrets)).toMatchObject(badId);
  });

  it("believes any of several secrets, and no other", () => {
    const [first, second, third] = ["a", "b", "c"].map((one) => new Secret(one.repeat(16)));
    const unsigned = { id: "a", body: Buffer.from("{}"), at: publishedAt };
    const request = incoming(standard.sign(unsigned, second ?? new Secret("")), "{}");
    const both = [first, second].flatMap((one) => one ?? []);
    expect(standard.verify(request, both)).toEqual(vouched);
    expect(standard.verify(request, both.toReversed())).toEqual(vouched);
    const others = [first, third].flatMap((one) => one ?? []);
    expect(standard.verify(request, others)).toEqual(refused("bad_signature"));
    expect(standard.verify(request, [])).toEqual(refused("bad_signature"));
  });

  it("believes what node:crypto signed, and nothing with another byte", () => {
    const message = fc.record({
      id: fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      body: fc.uint8Array({ minLength: 1, maxLength: 200 }),
      key: fc.uint8Array({ minLength: 16, maxLength: 64 }),
    });
    fc.assert(
      fc.property(message, fc.nat(), fc.integer({ min: 1, max: 255 }), (sent, place, by) => {
        const known = [new Secret(`whsec_${Buffer.from(sent.key).toString("base64")}`)];
        const request = signed(sent);
        expect(standard.verify(request, known)).toEqual(vouched);
        const body = Buffer.from(sent.body);
        const at = place % body.length;
        body[at] = (body[at] ?? 0) ^ by;
        expect(standard.verify({ ...request, body }, known)).toEqual(refused("bad_signature"));
      }),
    );
  });

  it("tells bodies apart that are one text once their broken UTF-8 is replaced", () => {
    const [body, other] = [Buffer.from([0x22, 0xff, 0x22]), Buffer.from([0x22, 0xfe, 0x22])];
    const replaced = Buffer.from(body.toString());
    expect(other.toString()).toBe(body.toString());
    const request = signed({ body });
    const verdicts = [body, other, replaced].map((sent) =>
      standard.verify({ ...request, body: sent }, secrets),
    );
    expect(verdicts).toEqual([vouched, refused("bad_signature"), refused("bad_signature")]);
  });
});
