import { hash, timingSafeEqual } from "node:crypto";

/** Compares in a time that does not tell how much is equal; digests, because timingSafeEqual throws on unequal lengths. */
export function compare(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
