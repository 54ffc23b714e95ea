import type { IncomingMessage } from "node:http";

import { refusals, type DeliveryRefusal } from "./answers.ts";
import { receiverHeaderLinesMax } from "./limits.ts";

/**
 * The fault of a request's head that Node lets pass; undefined if there is none. A proxy in front of us may read such a
 * head differently, and take the end of one request for the beginning of the next.
 */
export function headFlaw({
  rawHeaders,
  headers,
  httpVersion,
}: IncomingMessage): DeliveryRefusal | undefined {
  if (rawHeaders.length > 2 * receiverHeaderLinesMax) return refusals.headTooLarge;
  const hosts = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === "host",
  ).length;
  const isOld = httpVersion === "1.0";
  if (hosts > 1 || (hosts === 0 && !isOld)) return refusals.malformed;
  const coding = headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  return isOld || coding.toLowerCase() !== "chunked" ? refusals.malformed : undefined;
}

/** Header values by lower-case name. Node drops repeated values of some headers; here all values are joined by ", ". */
export function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    const value = rawHeaders[at + 1] ?? "";
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}
