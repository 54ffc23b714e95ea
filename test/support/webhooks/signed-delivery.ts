import { createHmac } from "node:crypto";

/** Is in every event, and in nothing that people or other programs may read. */
export const eventCanary = "canary-cell";

/** The members of a delivery's event that a mapping may read; each event has the same. */
export const deliveredRecord = {
  event_id: "id",
  account_id: "account",
  event: "event",
  event_timestamp: "at",
  event_properties: { note: "note" },
} as const;

/** Where deliveries go, and the secret that signs them. */
export type DeliveryTarget = {
  readonly path: string;
  /** As in a configuration: `whsec_` and base64. */
  readonly secret: string;
  /** The prefix of every event id. */
  readonly name: string;
};

/** The signing key of Standard Webhooks, from a secret as in a configuration. */
function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

/** The headers that make a body valid now, as defined by Standard Webhooks. */
export function signedHeaders(of: {
  readonly secret: string;
  readonly id: string;
  readonly body: Buffer;
}): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return {
    "webhook-id": of.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signatureOf({ ...of, key: keyOf(of.secret), timestamp })}`,
  };
}

function signatureOf(of: {
  readonly key: Buffer;
  readonly id: string;
  readonly timestamp: string;
  readonly body: Buffer;
}): string {
  const { key, id, timestamp, body } = of;
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}

const bodyBytes = 1_024;
const numberDigits = 9;

/**
 * Makes deliveries of one event each, 1 KiB as posted, signed by a separate implementation of Standard Webhooks. All
 * deliveries of a maker differ only in the number in their ids, so that making one is a copy and a hash.
 */
export class DeliveryMaker {
  readonly #name: string;
  readonly #key: Buffer;
  readonly #body: Buffer;
  readonly #head: Buffer;
  readonly #idInBody: number;
  readonly #idInHead: number;
  readonly #timestampInHead: number;
  readonly #signatureInHead: number;

  constructor({ path, secret, name }: DeliveryTarget) {
    this.#name = name;
    this.#key = keyOf(secret);
    const id = this.idOf(0);
    this.#body = bodyOf(id);
    this.#idInBody = this.#body.indexOf(id);
    const before = [
      `POST ${path} HTTP/1.1`,
      "host: receiver.example",
      "content-type: application/json",
      `content-length: ${this.#body.length}`,
    ].join("\r\n");
    const head = [before, `\r\nwebhook-id: `, id, "\r\nwebhook-timestamp: ", "0".repeat(10)];
    const signature = ["\r\nwebhook-signature: v1,", "0".repeat(44), "\r\n\r\n"];
    this.#head = Buffer.from([...head, ...signature].join(""));
    this.#idInHead = head.slice(0, 2).join("").length;
    this.#timestampInHead = head.slice(0, 4).join("").length;
    this.#signatureInHead = head.join("").length + "\r\nwebhook-signature: v1,".length;
  }

  /** The event id of a delivery, by its number. */
  idOf(number: number): string {
    return `${this.#name}-${String(number).padStart(numberDigits, "0")}`;
  }

  /** The request of a delivery, ready to be written, signed now. */
  make(number: number): Buffer {
    const request = Buffer.concat([this.#head, this.#body]);
    const id = this.idOf(number);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    request.write(id, this.#head.length + this.#idInBody, "latin1");
    const body = request.subarray(this.#head.length);
    const signature = signatureOf({ key: this.#key, id, timestamp, body });
    request.write(id, this.#idInHead, "latin1");
    request.write(timestamp, this.#timestampInHead, "latin1");
    request.write(signature, this.#signatureInHead, "latin1");
    return request;
  }
}

function bodyOf(id: string): Buffer {
  const event = { id, account: "a-1", event: "form sent", at: "2026-01-02T03:04:05.678Z" };
  const free = bodyBytes - Buffer.byteLength(JSON.stringify({ ...event, note: eventCanary }));
  return Buffer.from(JSON.stringify({ ...event, note: eventCanary + "x".repeat(free) }));
}
