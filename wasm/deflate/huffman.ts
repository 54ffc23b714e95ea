// Huffman codes no longer than a limit, from how often each symbol occurs.
import { LENGTH_COUNTS, NEXT_CODES, SORTED, WEIGHTS } from "./layout.ts";

function at(table: usize, index: u32): u32 {
  return load<u32>(table + ((<usize>index) << 2));
}

function put(table: usize, index: u32, value: u32): void {
  store<u32>(table + ((<usize>index) << 2), value);
}

/** Sorts the symbols that occur, the rarest first; answers how many. */
function sortSymbols(counts: usize, symbols: u32): u32 {
  let used: u32 = 0;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const often = at(counts, symbol);
    if (often == 0) continue;
    // An area's symbols are counted in 19 bits, and a symbol has 9.
    const entry = (often << 9) | symbol;
    let to = used++;
    for (; to > 0 && at(SORTED, to - 1) > entry; to--) put(SORTED, to, at(SORTED, to - 1));
    put(SORTED, to, entry);
  }
  return used;
}

/**
 * Replaces the sorted weights by the depths of the inner nodes of their tree (Moffat and Katajainen, "In-place
 * calculation of minimum-redundancy codes", 1995): first the parent of each, then, from the root, its depth.
 */
function innerDepths(used: u32): void {
  for (let index: u32 = 0; index < used; index++) put(WEIGHTS, index, at(SORTED, index) >> 9);
  let leaf: u32 = 0;
  let root: u32 = 0;
  for (let next: u32 = 0; next < used - 1; next++) {
    let weight: u32 = 0;
    for (let child: u32 = 0; child < 2; child++) {
      const isInner = leaf >= used || (root < next && at(WEIGHTS, root) < at(WEIGHTS, leaf));
      weight += at(WEIGHTS, isInner ? root : leaf);
      if (isInner) put(WEIGHTS, root++, next);
      else leaf++;
    }
    put(WEIGHTS, next, weight);
  }
  put(WEIGHTS, used - 2, 0);
  for (let next = <i32>used - 3; next >= 0; next--) {
    put(WEIGHTS, next, at(WEIGHTS, at(WEIGHTS, next)) + 1);
  }
}

/** Counts the leaves of each depth; those below the limit are raised to it. */
function countDepths(used: u32, limit: u32): void {
  memory.fill(LENGTH_COUNTS, 0, 64);
  let inner = <i32>used - 2;
  let room: u32 = 1;
  for (let depth: u32 = 0; room > 0; depth++) {
    let parents: u32 = 0;
    for (; inner >= 0 && at(WEIGHTS, inner) == depth; inner--) parents++;
    const length = min<u32>(depth, limit);
    put(LENGTH_COUNTS, length, at(LENGTH_COUNTS, length) + room - parents);
    room = 2 * parents;
  }
}

/** Where raised leaves take more room than there is, makes shorter codes longer until all fit. */
function fitDepths(limit: u32): void {
  let taken: u32 = 0;
  for (let length: u32 = 1; length <= limit; length++) {
    taken += at(LENGTH_COUNTS, length) << (limit - length);
  }
  for (; taken > (<u32>1) << limit; taken--) {
    put(LENGTH_COUNTS, limit, at(LENGTH_COUNTS, limit) - 1);
    let length = limit - 1;
    while (at(LENGTH_COUNTS, length) == 0) length--;
    put(LENGTH_COUNTS, length, at(LENGTH_COUNTS, length) - 1);
    put(LENGTH_COUNTS, length + 1, at(LENGTH_COUNTS, length + 1) + 2);
  }
}

/** Writes the length of each symbol's code, a byte each; 0 where it does not occur. Two have one at least. */
export function makeLengths(counts: usize, symbols: u32, limit: u32, lengths: usize): void {
  memory.fill(lengths, 0, symbols);
  const used = sortSymbols(counts, symbols);
  if (used < 2) {
    // Some readers refuse a code of one symbol.
    const only = used == 0 ? 0 : at(SORTED, 0) & 511;
    store<u8>(lengths + only, 1);
    store<u8>(lengths + (only == 0 ? 1 : 0), 1);
    return;
  }
  innerDepths(used);
  countDepths(used, limit);
  fitDepths(limit);
  let rarest: u32 = 0;
  for (let length = limit; length > 0; length--) {
    for (let left = at(LENGTH_COUNTS, length); left > 0; left--) {
      store<u8>(lengths + (at(SORTED, rarest++) & 511), <u8>length);
    }
  }
}

function reversed(code: u32, length: u32): u32 {
  let result: u32 = 0;
  for (let left = length; left > 0; left--) {
    result = (result << 1) | (code & 1);
    code >>= 1;
  }
  return result;
}

/** Makes the codes of given lengths (RFC 1951, 3.2.2): the bits as they are written, and their number from bit 16. */
export function makeCodes(lengths: usize, symbols: u32, codes: usize): void {
  memory.fill(LENGTH_COUNTS, 0, 64);
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = load<u8>(lengths + symbol);
    if (length > 0) put(LENGTH_COUNTS, length, at(LENGTH_COUNTS, length) + 1);
  }
  let code: u32 = 0;
  for (let length: u32 = 1; length < 16; length++) {
    put(NEXT_CODES, length, code);
    code = (code + at(LENGTH_COUNTS, length)) << 1;
  }
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = load<u8>(lengths + symbol);
    const next = at(NEXT_CODES, length);
    put(NEXT_CODES, length, next + 1);
    put(codes, symbol, length == 0 ? 0 : reversed(next, length) | ((<u32>length) << 16));
  }
}
