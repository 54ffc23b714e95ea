import { isDeliveryId, signaturesOf } from "../../src/security/standard-webhooks.ts";
import {
  headerText,
  isAnyExpected,
  secondsOf,
  timestampFault,
  unbelieved,
  type SignatureStyle,
} from "./signature.ts";

/** Answered once the signature is believed: another signature would not help. */
const badId = {
  refuse: 400,
  reason: "bad_id",
  message:
    "The webhook-id must have 1 to 256 characters, without full stops and control characters.",
} as const;

/** Standard Webhooks 1.0, symmetric: `v1,` and the base64 of an HMAC-SHA256, with blanks between several. */
export const standard: SignatureStyle = {
  verify: ({ headers, body, receivedAt }, secrets) => {
    const header = headers["webhook-id"];
    const timestamp = headers["webhook-timestamp"];
    const signatures = headers["webhook-signature"];
    if (header === undefined || timestamp === undefined || signatures === undefined) {
      return unbelieved("no_signature");
    }
    const fault = timestampFault(timestamp, receivedAt);
    if (fault !== undefined) return unbelieved(fault);
    const given = signatures.split(" ").filter((signature) => signature.startsWith("v1,"));
    const id = headerText(header);
    const expected = secrets.flatMap((secret) => signaturesOf({ id, timestamp, body }, secret));
    if (!isAnyExpected(given, expected)) return unbelieved("bad_signature");
    return isDeliveryId(id) ? { timestamp } : badId;
  },
  sign: ({ id, at, body }, secret) => {
    const timestamp = secondsOf(at);
    return {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signaturesOf({ id, timestamp, body }, secret).join(" "),
    };
  },
};
