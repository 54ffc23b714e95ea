// Hashes the fields of lines that `JSON.stringify` wrote, each into the slot of its name, as
// src/pipeline/fields/line-fields.ts finds them and src/pipeline/fields/field-hashes.ts hashes one.

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const COMMA: u32 = 0x2c;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;

/** FNV-1a's. */
const SEED: u32 = 0x811c9dc5;
const PRIME: u32 = 0x01000193;

const NONE: u32 = u32.MAX_VALUE;

/** A name, as JSON writes it between its quotes. */
@unmanaged
class Name {
  at: usize;
  length: u32;
  /** Whether it names a property. */
  isProperty: u32;
}

/** The names that have slots, in their order. */
let slots: usize = 0;
let slotCount: u32 = 0;

/** The names of texts beside the properties that have hashes, and behind them that of the properties. */
let texts: usize = 0;
let textCount: u32 = 0;

/** Where memory begins that is the caller's. */
export function heapAt(): usize {
  return (__heap_base + 15) & ~15;
}

/** Takes lists of `Name`. */
export function setNames(slotsAt: usize, itsSlots: u32, textsAt: usize, itsTexts: u32): void {
  slots = slotsAt;
  slotCount = itsSlots;
  texts = textsAt;
  textCount = itsTexts;
}

function nameAt(names: usize, index: u32): Name {
  return changetype<Name>(names + <usize>index * offsetof<Name>());
}

/** Whether so many bytes are the same. Reads up to 15 more of both in vain. */
function areSame(a: usize, b: usize, bytes: i32): bool {
  for (; bytes > 0; bytes -= 16) {
    const same: u32 = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
    // Those behind the end count as the same.
    if ((same | ((<u32>0xffff) << (<u32>min<i32>(bytes, 16))) | 0xffff0000) != u32.MAX_VALUE)
      return false;
    a += 16;
    b += 16;
  }
  return true;
}

function isSame(at: usize, length: u32, name: Name): bool {
  return name.length == length && areSame(at, name.at, length);
}

/** Whether this name begins at `at`, and its closing quote and a colon follow within the line. */
function isNext(at: usize, end: usize, name: Name): bool {
  const to = at + <usize>name.length;
  // What follows a whole name cannot be escaped by it.
  return to + 2 <= end && areSame(at, name.at, name.length) && <u32>load<u8>(to) == QUOTE;
}

/** The slot of a name, which most often is the one behind that of the name before it. */
function slotOf(at: usize, length: u32, isProperty: bool, last: u32): u32 {
  let slot = last;
  for (let tried: u32 = 0; tried < slotCount; tried += 1) {
    slot = slot + 1 < slotCount ? slot + 1 : 0;
    const name = nameAt(slots, slot);
    if (bool(name.isProperty) == isProperty && isSame(at, length, name)) return slot;
  }
  return NONE;
}

function isText(at: usize, length: u32): bool {
  for (let index: u32 = 0; index < textCount; index += 1) {
    if (isSame(at, length, nameAt(texts, index))) return true;
  }
  return false;
}

/** The place after the text of JSON whose opening quote is at `at`. */
function textEnd(at: usize, end: usize): usize {
  let to = at + 1;
  while (to < end) {
    const bytes = v128.load(to);
    const quotes = i8x16.eq(bytes, i8x16.splat(<i8>QUOTE));
    const signs = v128.or(quotes, i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)));
    const plain = ctz<u32>(i8x16.bitmask(signs) | 0x10000);
    to += <usize>plain;
    if (plain == 16) continue;
    if (to >= end) return end;
    if (<u32>load<u8>(to) == QUOTE) return to + 1;
    to += 2;
  }
  return end;
}

/** The place after the value of JSON that begins at `at`. */
function valueEnd(at: usize, end: usize): usize {
  let to = at;
  let depth: u32 = 0;
  while (to < end) {
    const byte: u32 = load<u8>(to);
    if (byte == QUOTE) {
      to = textEnd(to, end);
      if (depth == 0) return to;
      continue;
    }
    if (byte == OPEN_BRACE || byte == OPEN_BRACKET) depth += 1;
    else if (byte == CLOSE_BRACE || byte == CLOSE_BRACKET) {
      // The end of what a number, true, false or null is in.
      if (depth == 0) return to;
      depth -= 1;
      if (depth == 0) return to + 1;
    } else if (byte == COMMA && depth == 0) return to;
    to += 1;
  }
  return to;
}

/** Never the 0 that stands for a field which is not there. */
function hashOf(at: usize, end: usize): u32 {
  let hash = SEED;
  let from = at;
  for (; from + 4 <= end; from += 4) {
    hash = (hash ^ load<u8>(from)) * PRIME;
    hash = (hash ^ load<u8>(from, 1)) * PRIME;
    hash = (hash ^ load<u8>(from, 2)) * PRIME;
    hash = (hash ^ load<u8>(from, 3)) * PRIME;
  }
  for (; from < end; from += 1) hash = (hash ^ load<u8>(from)) * PRIME;
  return hash == 0 ? 1 : hash;
}

/** Hashes the fields of one line; false where one has no slot. */
function hashLine(from: usize, end: usize, out: usize, isUnknownLeftOut: bool): bool {
  let at = from + 1;
  let isProperty = false;
  let last = NONE;
  while (at < end) {
    if (<u32>load<u8>(at) == COMMA) at += 1;
    if (<u32>load<u8>(at) == CLOSE_BRACE) {
      if (!isProperty) return true;
      isProperty = false;
      at += 1;
      continue;
    }
    const name = at + 1;
    // The next slot in turn: lines have their fields in the same order.
    const next = last + 1 < slotCount ? last + 1 : 0;
    const nextName = nameAt(slots, next);
    if (isProperty && slotCount > 0 && nextName.isProperty != 0 && isNext(name, end, nextName)) {
      const value = name + <usize>nextName.length + 2;
      at = valueEnd(value, end);
      store<u32>(out + ((<usize>next) << 2), hashOf(value, at));
      last = next;
      continue;
    }
    const valueAt = textEnd(at, end) + 1;
    const length = <u32>(valueAt - 2 - name);
    const isObject = <u32>load<u8>(valueAt) == OPEN_BRACE;
    if (!isProperty && isObject && isSame(name, length, nameAt(texts, textCount))) {
      isProperty = true;
      at = valueAt + 1;
      continue;
    }
    at = valueEnd(valueAt, end);
    if (!isProperty && !isText(name, length)) continue;
    const slot = slotOf(name, length, isProperty, last);
    if (slot != NONE) {
      store<u32>(out + ((<usize>slot) << 2), hashOf(valueAt, at));
      last = slot;
    } else if (!isUnknownLeftOut) return false;
  }
  return true;
}

/**
 * Hashes the fields of `count` lines, whose begins and ends are at `places`, and writes a number for each slot of each
 * line, 0 where the line has no such field. Answers the first line with a field that has no slot, unless such are left
 * out, else `count`.
 */
export function hashFields(places: usize, count: u32, out: usize, isUnknownLeftOut: bool): u32 {
  const lineBytes = (<usize>slotCount) << 2;
  memory.fill(out, 0, <usize>count * lineBytes);
  for (let line: u32 = 0; line < count; line += 1) {
    const place = places + ((<usize>line) << 3);
    const to = out + <usize>line * lineBytes;
    if (!hashLine(load<u32>(place), load<u32>(place, 4), to, isUnknownLeftOut)) return line;
  }
  return count;
}
