import { signatureOf } from "../../src/standard-webhooks.ts";
import {
  isAnyExpected,
  secondsOf,
  timestampFault,
  unbelieved,
  type SignatureStyle,
} from "./signature.ts";

/** Without a dot, because `id.timestamp.body` is signed: what is id and what body would be anyone's choice. */
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** Standard Webhooks 1.0, symmetric: `v1,` and the base64 of an HMAC-SHA256, with blanks between several. */
export const standard: SignatureStyle = {
  verify: ({ headers, body, receivedAt }, secrets) => {
    const id = headers["webhook-id"];
    const timestamp = headers["webhook-timestamp"];
    const signatures = headers["webhook-signature"];
    if (id === undefined || timestamp === undefined || signatures === undefined) {
      return unbelieved("no_signature");
    }
    if (!idPattern.test(id)) return unbelieved("bad_id");
    const fault = timestampFault(timestamp, receivedAt);
    if (fault !== undefined) return unbelieved(fault);
    const given = signatures.split(" ").filter((signature) => signature.startsWith("v1,"));
    const expected = secrets.map((secret) => signatureOf({ id, timestamp, body }, secret));
    return isAnyExpected(given, expected) ? { timestamp } : unbelieved("bad_signature");
  },
  sign: ({ id, at, body }, secret) => {
    const timestamp = secondsOf(at);
    return {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatureOf({ id, timestamp, body }, secret),
    };
  },
};
