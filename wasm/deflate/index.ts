// A compressor for raw deflate (RFC 1951) that is fast on lines of JSON: the last place of each six bytes is all it
// remembers, and a match is taken as soon as it is found.
import { align, drain, out, put, setOut } from "./bits.ts";
import { writeBlock } from "./block.ts";
import {
  AREA,
  COUNTS_SIZE,
  DISTANCE_COUNTS,
  INPUT,
  OUTPUT,
  PLACE_BITS,
  PLACES,
  SEQUENCES,
  SEQUENCES_MAX,
  SYMBOL_COUNTS,
  WINDOW,
} from "./layout.ts";
import { distanceSlot, lengthSlot, makeSlots } from "./slots.ts";

/** Shifts the bytes out that are not compared: six are, since shorter matches save next to nothing. */
const KEY_SHIFT: u64 = 16;
const MULTIPLIER: u64 = 0x9e3779b185ebca87;

/** Bytes behind a place where matches begin: none is read beyond the input. */
const TAIL: usize = 24;

/** log2 of the places without a match after which three are skipped for three that are tried, then six, and so on. */
const PATIENCE: usize = 5;

const MATCH_MAX: u32 = 258;
const BLOCK_END: u32 = 256;

/**
 * What is not deflated yet begins here; bytes before `oldest` are not of this input. No place is before it: one that
 * nothing was remembered in says 0, as `INPUT` does.
 */
let start: usize = INPUT;
let oldest: usize = INPUT;

/** Where input goes, as many bytes as an area has at most, and where its compressed form is found. */
export function inputAt(): usize {
  return INPUT;
}

export function inputSize(): usize {
  return AREA;
}

export function outputAt(): usize {
  return OUTPUT;
}

/** Forgets all input. The same input gives the same output after it. */
export function reset(): void {
  makeSlots();
  memory.fill(PLACES, 0, 2 << PLACE_BITS);
  start = INPUT;
  oldest = INPUT;
}

/**
 * Deflates the input up to `end`, from where it ended before, and answers where its output ends, at a whole byte
 * (the empty stored block of a "sync flush"). After a full area, input begins at its begin again.
 */
export function deflate(end: usize): usize {
  setOut(OUTPUT);
  while (start < end) deflateBlock(end);
  put(0b000, 3);
  align();
  store<u32>(out, 0xffff0000);
  setOut(out + 4);
  if (end == INPUT + AREA) {
    memory.copy(INPUT - WINDOW, end - WINDOW, WINDOW);
    oldest = max<usize>(oldest - AREA, INPUT - WINDOW);
    start = INPUT;
  }
  return out;
}

/** Where the last place of a key is remembered: of six bytes, the highest of its eight. */
function placeOf(key: u64): usize {
  return PLACES + ((<usize>((key * MULTIPLIER) >> (64 - PLACE_BITS))) << 1);
}

/** How far back the key of the place `at` was last, 0 where it is not in the window; the place is remembered. */
function distanceOf(key: u64, at: usize): u32 {
  const place = placeOf(key);
  const distance = (<u32>at - load<u16>(place)) & 0xffff;
  store<u16>(place, <u16>at);
  const isThere = u32(load<u64>(at - distance) << KEY_SHIFT == key) & u32(distance <= <u32>WINDOW);
  return distance & -isThere;
}

function remember(at: usize): void {
  store<u16>(placeOf(load<u64>(at) << KEY_SHIFT), <u16>at);
}

function count(symbol: u32, more: i32): void {
  const place = SYMBOL_COUNTS + ((<usize>symbol) << 2);
  store<u32>(place, load<u32>(place) + more);
}

/** How many of 16 bytes are the same before one differs. */
function sameOf16(a: usize, b: usize): u32 {
  return ctz<u32>(~i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) | 0x10000);
}

/** The end of a match that begins at `at`, before `end`. */
function matchEnd(at: usize, distance: u32, end: usize): usize {
  // Both at once: which of them it ends in is only known late.
  const a: u32 = i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(at - distance)));
  const b: u32 = i8x16.bitmask(i8x16.eq(v128.load(at, 16), v128.load(at - distance, 16)));
  const same: u32 = ctz<u32>(~(a | (b << 16)));
  let to = at + same;
  if (same == 32) {
    let more: u32 = 16;
    while (more == 16 && to < end) {
      more = sameOf16(to, to - distance);
      to += more;
    }
  }
  return min<usize>(to, end);
}

/** How far a match reaches back into literals, at most to `least`. */
function matchBack(at: usize, distance: u32, least: usize): usize {
  const same = <usize>clz<u64>(load<u64>(at - 8) ^ load<u64>(at - 8 - distance)) >> 3;
  return min<usize>(same, min<usize>(at - least, at - distance - oldest));
}

/** Where the next sequence goes. */
let sequence: usize = SEQUENCES;

/** Adds a match behind literals; longer ones than the format has are cut. Answers the length that found room. */
function addMatch(literals: usize, length: u32, distance: u32): u32 {
  const slot = distanceSlot(distance - 1);
  const where = ((<u64>(distance - 1)) << 32) | ((<u64>slot) << 48);
  let left = length;
  while (left > 0 && sequence < SEQUENCES + (SEQUENCES_MAX << 3)) {
    // No piece is shorter than the format's 3.
    const take: u32 = left <= MATCH_MAX ? left : min<u32>(MATCH_MAX, left - 3);
    store<u64>(sequence, where | ((<u64>take) << 20) | literals);
    sequence += 8;
    literals = 0;
    count(257 + lengthSlot(take), 1);
    const place = DISTANCE_COUNTS + ((<usize>slot) << 2);
    store<u32>(place, load<u32>(place) + 1);
    left -= take;
  }
  return length - left;
}

/** Deflates what is left before `end`, or as much of it as a block holds. */
function deflateBlock(end: usize): void {
  memory.fill(SYMBOL_COUNTS, 0, COUNTS_SIZE);
  sequence = SEQUENCES;
  const sequencesEnd = SEQUENCES + (SEQUENCES_MAX << 3);
  // Literals begin at `anchor`, and are counted up to `at`.
  let at = start;
  let anchor = start;
  let missed: usize = 0;
  while (at + TAIL < end && sequence < sequencesEnd) {
    // One load has the six bytes of three places.
    const bytes = load<u64>(at);
    let distance = distanceOf(bytes << KEY_SHIFT, at);
    if (distance == 0) {
      count(<u32>bytes & 0xff, 1);
      distance = distanceOf((bytes >> 8) << KEY_SHIFT, ++at);
      if (distance == 0) {
        count((<u32>bytes >> 8) & 0xff, 1);
        distance = distanceOf((bytes >> 16) << KEY_SHIFT, ++at);
        if (distance == 0) {
          count((<u32>bytes >> 16) & 0xff, 1);
          at++;
          missed += 3;
          if (missed >> PATIENCE != 0) {
            const next = min<usize>(at + 3 * (missed >> PATIENCE), end);
            for (; at < next; at++) count(load<u8>(at), 1);
          }
          continue;
        }
      }
    }
    missed = 0;
    const to = matchEnd(at, distance, end);
    remember(at + 1);
    remember(at + 2);
    const from = at - matchBack(at, distance, anchor);
    while (at > from) count(load<u8>(--at), -1);
    anchor = at = from + addMatch(from - anchor, <u32>(to - from), distance);
  }
  const stop = sequence < sequencesEnd ? end : anchor;
  for (; at < stop; at++) count(load<u8>(at), 1);
  store<u64>(sequence, stop - anchor);
  count(BLOCK_END, 1);
  writeBlock(start, stop, sequence + 8);
  start = stop;
}
