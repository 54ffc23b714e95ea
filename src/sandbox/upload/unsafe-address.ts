import type { unsafeUrls } from "../faults/fault-kinds.ts";

const origins = {
  http: "http://storage.example.com",
  "private-address": "https://10.0.0.1",
  // No such name ever resolves (RFC 6761, 6.4).
  "other-host": "https://storage.invalid",
} as const;

/** Turns an upload address into one that a client must not send a file to. */
export function unsafeAddress(safe: string, kind: (typeof unsafeUrls)[number]): string {
  const url = new URL(safe);
  if (kind !== "user-info") return `${origins[kind]}${url.pathname}${url.search}`;
  url.username = "someone";
  url.password = "anything";
  return url.href;
}
