// Writes a block: its sequences in Huffman codes of its own or in the fixed ones, or its bytes as they are.
import { align, drain, out, put, putCode, setOut } from "./bits.ts";
import { makeCodes, makeLengths } from "./huffman.ts";
import {
  CODE_LENGTHS,
  DISTANCE_CODES,
  DISTANCE_COUNTS,
  HEADER_LENGTHS,
  MATCH_CODES,
  RUN_CODES,
  RUN_COUNTS,
  RUNS,
  SEQUENCES,
  SYMBOL_CODES,
  SYMBOL_COUNTS,
} from "./layout.ts";
import {
  distanceBase,
  distanceExtraBits,
  lengthBase,
  lengthExtraBits,
  lengthSlot,
} from "./slots.ts";

/** Of a literal or a length; the format allows 15, but four of 14 fit between two writes. */
const SYMBOL_BITS_MAX: u32 = 14;
const DISTANCE_BITS_MAX: u32 = 15;
const HEADER_BITS_MAX: u32 = 7;
const STORED_MAX: usize = 65_535;

/** The order in which the lengths of the header's own code are written (RFC 1951, 3.2.7). */
const ORDER: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);

function trimmed(lengths: usize, symbols: u32, least: u32): u32 {
  while (symbols > least && load<u8>(lengths + symbols - 1) == 0) symbols--;
  return symbols;
}

let runs: u32 = 0;

/** Adds a symbol of the header's code, with its extra bits from bit 5. */
function addRun(symbol: u32, extra: u32): void {
  store<u16>(RUNS + ((<usize>runs) << 1), <u16>(symbol | (extra << 5)));
  runs++;
  const place = RUN_COUNTS + ((<usize>symbol) << 2);
  store<u32>(place, load<u32>(place) + 1);
}

/** Writes code lengths as runs (RFC 1951, 3.2.7). */
function makeRuns(total: u32): void {
  runs = 0;
  memory.fill(RUN_COUNTS, 0, 19 << 2);
  for (let from: u32 = 0; from < total;) {
    const length = <u32>load<u8>(CODE_LENGTHS + from);
    let left: u32 = 1;
    while (from + left < total && load<u8>(CODE_LENGTHS + from + left) == length) left++;
    from += left;
    if (length > 0) {
      addRun(length, 0);
      left--;
    }
    while (left >= 3) {
      const take = min<u32>(left, length > 0 ? 6 : 138);
      if (length > 0) addRun(16, take - 3);
      else if (take < 11) addRun(17, take - 3);
      else addRun(18, take - 11);
      left -= take;
    }
    for (; left > 0; left--) addRun(length, 0);
  }
}

/** Bits that the sequences of the block take in the codes as they are now. */
function sequenceBits(symbols: u32, distances: u32): u64 {
  let bits: u64 = 0;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const length = load<u32>(SYMBOL_CODES + ((<usize>symbol) << 2)) >> 16;
    const extra = symbol > 256 ? lengthExtraBits(symbol - 257) : 0;
    bits += <u64>load<u32>(SYMBOL_COUNTS + ((<usize>symbol) << 2)) * (length + extra);
  }
  for (let slot: u32 = 0; slot < distances; slot++) {
    const length = load<u32>(DISTANCE_CODES + ((<usize>slot) << 2)) >> 16;
    const often = load<u32>(DISTANCE_COUNTS + ((<usize>slot) << 2));
    bits += <u64>often * (length + distanceExtraBits(slot));
  }
  return bits;
}

/** Makes the codes that need no header (RFC 1951, 3.2.6): few bytes are shorter in them. */
function makeFixedCodes(): void {
  // Two symbols that nothing has take part.
  memory.fill(CODE_LENGTHS, 8, 288);
  memory.fill(CODE_LENGTHS + 144, 9, 112);
  memory.fill(CODE_LENGTHS + 256, 7, 24);
  makeCodes(CODE_LENGTHS, 288, SYMBOL_CODES);
  memory.fill(CODE_LENGTHS, 5, 30);
  makeCodes(CODE_LENGTHS, 30, DISTANCE_CODES);
}

/** Writes the codes of the block: their lengths, in a code of its own, whose lengths come first. */
function writeHeader(symbols: u32, distances: u32): void {
  put(0b100, 3);
  put(symbols - 257, 5);
  put(distances - 1, 5);
  let lengths: u32 = 19;
  while (lengths > 4 && load<u8>(HEADER_LENGTHS + load<u8>(ORDER + lengths - 1)) == 0) lengths--;
  put(lengths - 4, 4);
  drain();
  for (let index: u32 = 0; index < lengths; index++) {
    put(load<u8>(HEADER_LENGTHS + load<u8>(ORDER + index)), 3);
    drain();
  }
  for (let index: u32 = 0; index < runs; index++) {
    const run = <u32>load<u16>(RUNS + ((<usize>index) << 1));
    const symbol = run & 31;
    putCode(load<u32>(RUN_CODES + ((<usize>symbol) << 2)));
    if (symbol == 16) put(run >> 5, 2);
    else if (symbol == 17) put(run >> 5, 3);
    else if (symbol == 18) put(run >> 5, 7);
    drain();
  }
}

/** Joins the code of each match length with its extra bits. */
function joinLengths(): void {
  for (let length: u32 = 3; length <= 258; length++) {
    const slot = lengthSlot(length);
    const code = load<u32>(SYMBOL_CODES + ((<usize>(257 + slot)) << 2));
    const bits = code >> 16;
    const joined = (code & 0xffff) | ((length - lengthBase(slot)) << bits);
    store<u32>(
      MATCH_CODES + ((<usize>length) << 2),
      joined | ((bits + lengthExtraBits(slot)) << 24),
    );
  }
}

function literalCode(at: usize): u32 {
  return load<u32>(SYMBOL_CODES + ((<usize>load<u8>(at)) << 2));
}

/** Writes the sequences of the block that begins at `from`. */
function writeSequences(from: usize, end: usize): void {
  for (let next = SEQUENCES; next < end; next += 8) {
    const sequence = load<u64>(next);
    let literals = <u32>sequence & 0xfffff;
    for (; literals > 3; literals -= 4) {
      putCode(literalCode(from));
      putCode(literalCode(from + 1));
      putCode(literalCode(from + 2));
      putCode(literalCode(from + 3));
      drain();
      from += 4;
    }
    // Without a branch: no processor could guess how many are left.
    putCode(literalCode(from) & -(<u32>(literals > 0)));
    putCode(literalCode(from + 1) & -(<u32>(literals > 1)));
    putCode(literalCode(from + 2) & -(<u32>(literals > 2)));
    drain();
    from += literals;
    const length = <u32>(sequence >> 20) & 0xfff;
    if (length == 0) continue;
    const match = load<u32>(MATCH_CODES + ((<usize>length) << 2));
    put(match & 0xffffff, match >> 24);
    const slot = <u32>(sequence >> 48);
    putCode(load<u32>(DISTANCE_CODES + ((<usize>slot) << 2)));
    put(((sequence >> 32) & 0xffff) - distanceBase(slot), distanceExtraBits(slot));
    drain();
    from += length;
  }
}

/** Writes bytes as they are. */
function writeStored(from: usize, end: usize): void {
  while (from < end) {
    const bytes = min<usize>(end - from, STORED_MAX);
    put(0b000, 3);
    align();
    store<u32>(out, <u32>bytes | (~(<u32>bytes) << 16));
    memory.copy(out + 4, from, bytes);
    setOut(out + 4 + bytes);
    from += bytes;
  }
}

/** Writes the block of the bytes from `from` to `end`, counted already, whose sequences end at `sequencesEnd`. */
export function writeBlock(from: usize, end: usize, sequencesEnd: usize): void {
  makeFixedCodes();
  const fixedBits = 3 + sequenceBits(286, 30);
  makeLengths(SYMBOL_COUNTS, 286, SYMBOL_BITS_MAX, CODE_LENGTHS);
  makeLengths(DISTANCE_COUNTS, 30, DISTANCE_BITS_MAX, CODE_LENGTHS + 286);
  const symbols = trimmed(CODE_LENGTHS, 286, 257);
  const distances = trimmed(CODE_LENGTHS + 286, 30, 1);
  makeCodes(CODE_LENGTHS, symbols, SYMBOL_CODES);
  makeCodes(CODE_LENGTHS + 286, distances, DISTANCE_CODES);
  memory.copy(CODE_LENGTHS + symbols, CODE_LENGTHS + 286, distances);
  makeRuns(symbols + distances);
  makeLengths(RUN_COUNTS, 19, HEADER_BITS_MAX, HEADER_LENGTHS);
  makeCodes(HEADER_LENGTHS, 19, RUN_CODES);
  const headerBits = 17 + 19 * 3 + runs * (HEADER_BITS_MAX + 7);
  const ownBits = headerBits + sequenceBits(symbols, distances);
  const storedBytes = end - from + 5 * ((end - from) / STORED_MAX + 1);
  if (min<u64>(ownBits, fixedBits) >= (<u64>storedBytes) << 3) {
    writeStored(from, end);
    return;
  }
  if (fixedBits < ownBits) {
    makeFixedCodes();
    put(0b010, 3);
  } else writeHeader(symbols, distances);
  joinLengths();
  writeSequences(from, sequencesEnd);
  putCode(load<u32>(SYMBOL_CODES + (256 << 2)));
  drain();
}
