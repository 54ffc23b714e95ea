import { timingSafeEqual } from "node:crypto";

/** Compares in a time that does not reveal how much is equal. */
export function compare(given: string, expected: string): boolean {
  const right = Buffer.from(expected);
  // The same length, because timingSafeEqual throws otherwise.
  const left = Buffer.alloc(right.length);
  left.write(given);
  return timingSafeEqual(left, right) && Buffer.byteLength(given) === right.length;
}
