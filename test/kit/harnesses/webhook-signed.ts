import { createHmac, type BinaryLike } from "node:crypto";

import type { DeliveryCase } from "../../../testing/delivery.ts";

type Headers = Readonly<Record<string, string>>;

const at = new Date("2026-03-29T01:00:00.999Z");
const now = 1_774_746_000;
const secret = "kit-secret-of-the-sender-5b1d0c";
const another = "another-secret-of-the-sender";
const body = '{"id":"evt_1","n":9007199254740993}';
const taken = [{ json: body, id: "msg_1" }];

/** The HMAC of signed bytes. */
function hmacOf(key: BinaryLike, signed: string): (encoding: "hex" | "base64") => string {
  return (encoding) => createHmac("sha256", key).update(signed).digest(encoding);
}

function refused(reason: string): NonNullable<DeliveryCase["refusal"]> {
  return { refuse: 401, reason };
}

/** Only the signature of Standard Webhooks. */
function v1(key: BinaryLike, { id = "msg_1", timestamp = String(now), of = body } = {}): string {
  return `v1,${hmacOf(key, `${id}.${timestamp}.${of}`)("base64")}`;
}

function standardHeaders(signature = v1(secret), timestamp: number | string = now): Headers {
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  };
}

function without(headers: Headers, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([own]) => own !== name));
}

/** A delivery of Standard Webhooks that is signed at this time with the text of the secret. */
function signedAt(what: string, seconds: number, receivedAt: Date): DeliveryCase {
  const signature = v1(secret, { timestamp: String(seconds) });
  return { what, at: receivedAt, headers: standardHeaders(signature, seconds) };
}

const sharp = new Date("2026-03-29T01:00:00.000Z");
const key = Buffer.from("kit-key-of-the-sender-that-is-of-bytes");

/** As Standard Webhooks defines, with the text of a secret and with a key after `whsec_`. */
const standard: readonly DeliveryCase[] = [
  {
    what: "the example that its libraries are tested with",
    config: { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
    at: new Date(1_614_265_330_000),
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    body: '{"test": 2432232314}',
    events: [{ json: '{"test": 2432232314}', id: "msg_p5jXN8AQM9LWM0D4loKWxJek" }],
    signed: {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
    },
  },
  {
    what: "a secret that is a text",
    headers: standardHeaders(),
    events: taken,
    signed: { id: "msg_1", headers: standardHeaders() },
  },
  {
    what: "the second of two secrets, the first of which signs",
    config: { secret: [another, secret] },
    headers: standardHeaders(),
    events: taken,
    signed: { id: "msg_1", headers: standardHeaders(v1(another)) },
  },
  {
    what: "another's secret",
    headers: standardHeaders(v1(another)),
    refusal: refused("bad_signature"),
  },
  ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => ({
    what: `no ${name}`,
    headers: without(standardHeaders(), name),
    refusal: refused("no_signature"),
  })),
  {
    what: "an id with a dot",
    headers: { ...standardHeaders(v1(secret, { id: "msg.1" })), "webhook-id": "msg.1" },
    refusal: { refuse: 400, reason: "bad_id" },
  },
  {
    what: "a timestamp that is not a number",
    headers: standardHeaders(v1(secret, { timestamp: "+17" }), "+17"),
    refusal: refused("bad_timestamp"),
  },
  { ...signedAt("5 minutes late", now - 300, sharp), events: taken },
  { ...signedAt("301 s late", now - 301, sharp), refusal: refused("old_timestamp") },
  { ...signedAt("5 minutes early", now + 300, sharp), events: taken },
  { ...signedAt("301 s early", now + 301, sharp), refusal: refused("future_timestamp") },
  {
    what: "another body after the signature",
    headers: standardHeaders(v1(secret, { of: body.replace("evt", "evu") })),
    refusal: refused("bad_signature"),
  },
  {
    what: "the right one of several signatures, others of another kind",
    headers: standardHeaders(`v1a,AAAA ${v1(another)} ${v1(secret)}`),
    events: taken,
  },
  {
    what: "the right one behind seven others",
    headers: standardHeaders(`${`${v1(another)} `.repeat(7)}${v1(secret)}`),
    events: taken,
  },
  {
    what: "the right one behind eight others",
    headers: standardHeaders(`${`${v1(another)} `.repeat(8)}${v1(secret)}`),
    refusal: refused("bad_signature"),
  },
  {
    what: "a signature whose letters have the other case",
    headers: standardHeaders(v1(secret).toLowerCase()),
    refusal: refused("bad_signature"),
  },
  {
    what: "a key after whsec_",
    config: { secret: `whsec_${key.toString("base64")}` },
    headers: standardHeaders(v1(key)),
    events: taken,
  },
  {
    what: "the text of a key after whsec_",
    config: { secret: `whsec_${key.toString("base64")}` },
    headers: standardHeaders(v1(`whsec_${key.toString("base64")}`)),
    refusal: refused("bad_signature"),
  },
];

function githubHeaders(signature: string): Headers {
  return { "x-github-delivery": "msg_1", "x-hub-signature-256": signature };
}

const githubHex = hmacOf(secret, body)("hex");

/** As GitHub signs: only the body, at any time. */
const github: readonly DeliveryCase[] = [
  {
    what: "signed long ago",
    headers: githubHeaders(`sha256=${githubHex}`),
    events: taken,
    signed: { id: "msg_1", headers: githubHeaders(`sha256=${githubHex}`) },
  },
  {
    what: "no signature",
    headers: { "x-github-delivery": "msg_1" },
    refusal: refused("no_signature"),
  },
  {
    what: "in upper case",
    headers: githubHeaders(`sha256=${githubHex.toUpperCase()}`),
    refusal: refused("bad_signature"),
  },
  { what: "without sha256=", headers: githubHeaders(githubHex), refusal: refused("bad_signature") },
  {
    what: "without a header that names it",
    headers: { "x-hub-signature-256": `sha256=${githubHex}` },
    events: [{ json: body }],
  },
  {
    what: "of bytes that are not UTF-8",
    headers: githubHeaders(
      `sha256=${createHmac("sha256", secret)
        .update(Buffer.from([0x22, 0xff, 0x22]))
        .digest("hex")}`,
    ),
    body: Buffer.from([0x22, 0xff, 0x22]),
    refusal: { refuse: 400, reason: "bad_utf8" },
  },
];

function stripeHex(timestamp: number | string, by = secret): string {
  return hmacOf(by, `${timestamp}.${body}`)("hex");
}

function stripeHeaders(signature: string): Headers {
  return { "stripe-signature": signature };
}

const byStripe = [{ json: body, id: "evt_1" }];

/** As Stripe signs: with the text of the secret, whatever its prefix. */
const stripe: readonly DeliveryCase[] = [
  {
    what: "signed",
    headers: stripeHeaders(`t=${now},v1=${stripeHex(now)},v0=00`),
    events: byStripe,
    signed: { id: "msg_1", headers: stripeHeaders(`t=${now},v1=${stripeHex(now)}`) },
  },
  {
    what: "two signatures while a secret is rotated",
    headers: stripeHeaders(`t=${now},v1=${stripeHex(now, another)},v1=${stripeHex(now)}`),
    events: byStripe,
  },
  { what: "no signature", refusal: refused("no_signature") },
  {
    what: "no time",
    headers: stripeHeaders(`v1=${stripeHex(now)}`),
    refusal: refused("bad_timestamp"),
  },
  {
    what: "two times",
    headers: stripeHeaders(`t=${now},t=${now},v1=${stripeHex(now)}`),
    refusal: refused("bad_timestamp"),
  },
  {
    what: "301 s late",
    at: sharp,
    headers: stripeHeaders(`t=${now - 301},v1=${stripeHex(now - 301)}`),
    refusal: refused("old_timestamp"),
  },
  {
    what: "another's secret",
    headers: stripeHeaders(`t=${now},v1=${stripeHex(now, another)}`),
    refusal: refused("bad_signature"),
  },
  {
    what: "a signature of another kind alone",
    headers: stripeHeaders(`t=${now},v0=${stripeHex(now)}`),
    refusal: refused("bad_signature"),
  },
  {
    what: "the text of whsec_ as well",
    config: { secret: "whsec_no*base64*at*all" },
    headers: stripeHeaders(`t=${now},v1=${stripeHex(now, "whsec_no*base64*at*all")}`),
    events: byStripe,
  },
];

function token(authorization: string): Headers {
  return { authorization };
}

/** By a token that identifies the sender. */
const bearer: readonly DeliveryCase[] = [
  {
    what: "right",
    headers: token(`Bearer ${secret}`),
    events: [{ json: body }],
    signed: { id: "msg_1", headers: token(`Bearer ${secret}`) },
  },
  {
    what: "with its scheme in capitals",
    headers: token(`BEARER ${secret}`),
    events: [{ json: body }],
  },
  { what: "none", refusal: refused("no_signature") },
  { what: "without its scheme", headers: token(secret), refusal: refused("no_signature") },
  {
    what: "of another scheme",
    headers: token(`Basic  ${secret}`),
    refusal: refused("no_signature"),
  },
  {
    what: "cut short",
    headers: token(`Bearer ${secret.slice(0, -1)}`),
    refusal: refused("bad_signature"),
  },
];

/** Deliveries have the same time and body, unless they set their own. */
function sentAs(signature: string, deliveries: readonly DeliveryCase[]): readonly DeliveryCase[] {
  return deliveries.map((delivery) => ({
    at,
    body,
    ...delivery,
    what: `${signature}: ${delivery.what}`,
    config: { signature, secret, ...delivery.config },
  }));
}

/** Deliveries of each kind of sender, right and wrong. */
export const signedDeliveries: readonly DeliveryCase[] = [
  ...sentAs("standard", standard),
  ...sentAs("github", github),
  ...sentAs("stripe", stripe),
  ...sentAs("bearer", bearer),
];
