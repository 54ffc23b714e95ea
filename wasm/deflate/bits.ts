// The output: bits, the lowest first.

/** Where the next whole byte goes. */
export let out: usize = 0;

/** Bits that are not written yet, and their number: below 8 after `drain`. */
let bits: u64 = 0;
let count: u64 = 0;

export function setOut(at: usize): void {
  out = at;
}

/** Adds bits; 56 at most between two calls of `drain`. */
export function put(value: u64, length: u64): void {
  bits |= value << count;
  count += length;
}

/** Writes the whole bytes. */
export function drain(): void {
  store<u64>(out, bits);
  out += <usize>(count >> 3);
  bits >>= count & 56;
  count &= 7;
}

/** Ends the byte that is begun. */
export function align(): void {
  count = (count + 7) & 56;
  drain();
}

/** Adds a code of a table: its bits, and their number from bit 16. */
export function putCode(code: u32): void {
  put(code & 0xffff, code >> 16);
}
