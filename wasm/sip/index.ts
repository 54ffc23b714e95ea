// SipHash-2-4 with 128 bits, of many short texts: calling one of `node:crypto` for each takes ten times as long.

/** The ASCII text "somepseudorandomlygeneratedbytes" as four words. */
const A: u64 = 0x736f6d6570736575;
const B: u64 = 0x646f72616e646f6d;
const C: u64 = 0x6c7967656e657261;
const D: u64 = 0x7465646279746573;

/** The state. */
let a: u64 = 0;
let b: u64 = 0;
let c: u64 = 0;
let d: u64 = 0;

/** Where memory begins that is the caller's. */
export function heapAt(): usize {
  return (__heap_base + 15) & ~15;
}

function rounds(times: u32): void {
  for (let round: u32 = 0; round < times; round += 1) {
    a += b;
    b = rotl<u64>(b, 13) ^ a;
    a = rotl<u64>(a, 32);
    c += d;
    d = rotl<u64>(d, 16) ^ c;
    a += d;
    d = rotl<u64>(d, 21) ^ a;
    c += b;
    b = rotl<u64>(b, 17) ^ c;
    c = rotl<u64>(c, 32);
  }
}

/** Takes one block of a message in. */
function absorb(block: u64): void {
  d ^= block;
  rounds(2);
  a ^= block;
}

/** The last bytes of a message, less than a block of them, the lowest first. */
function lastBytes(at: usize, end: usize): u64 {
  let block: u64 = 0;
  for (let index = end; index > at; index -= 1) block = (block << 8) | load<u8>(index - 1);
  return block;
}

/**
 * Hashes `count` texts, which lie one behind the other at `bytes` and end where `ends` says, under a secret of two words,
 * as if each had the prefix, whole blocks of 8 bytes, in front; two words for each go to `out`.
 */
export function hash(
  secret: usize,
  prefix: usize,
  prefixBytes: u32,
  bytes: usize,
  ends: usize,
  count: u32,
  out: usize,
): void {
  const low = load<u64>(secret);
  const high = load<u64>(secret, 8);
  a = A ^ low;
  b = B ^ high ^ 0xee;
  c = C ^ low;
  d = D ^ high;
  for (let at: usize = 0; at < <usize>prefixBytes; at += 8) absorb(load<u64>(prefix + at));
  const a0 = a;
  const b0 = b;
  const c0 = c;
  const d0 = d;
  let from = bytes;
  for (let index: u32 = 0; index < count; index += 1) {
    const to = bytes + <usize>load<u32>(ends + ((<usize>index) << 2));
    a = a0;
    b = b0;
    c = c0;
    d = d0;
    let at = from;
    for (; at + 8 <= to; at += 8) absorb(load<u64>(at));
    // The last block ends with the length of the whole, in one byte.
    absorb(lastBytes(at, to) | ((<u64>(prefixBytes + <u32>(to - from))) << 56));
    c ^= 0xee;
    rounds(4);
    store<u64>(out, a ^ b ^ c ^ d);
    b ^= 0xdd;
    rounds(4);
    store<u64>(out, a ^ b ^ c ^ d, 8);
    out += 16;
    from = to;
  }
}
