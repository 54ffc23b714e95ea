// Puts the bytes of a line together. Whoever calls has made room, with 64 bytes more: 16 are written at a time.

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** Where the next byte goes. */
export let out: usize = 0;

export function setOut(at: usize): void {
  out = at;
}

export function byte(value: u32): void {
  store<u8>(out, value);
  out += 1;
}

/** Puts bytes as they are. */
export function put(from: usize, bytes: usize): void {
  let at = out;
  const end = at + bytes;
  do {
    v128.store(at, v128.load(from));
    at += 16;
    from += 16;
  } while (at < end);
  out = end;
}

function hexDigit(value: u32): u32 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

/** Puts one byte of a text as JSON writes it between quotes. */
export function textByte(value: u32): void {
  if (value >= 0x20 && value != QUOTE && value != BACKSLASH) {
    byte(value);
    return;
  }
  byte(BACKSLASH);
  switch (value) {
    case 0x08:
      byte(0x62);
      return;
    case 0x09:
      byte(0x74);
      return;
    case 0x0a:
      byte(0x6e);
      return;
    case 0x0c:
      byte(0x66);
      return;
    case 0x0d:
      byte(0x72);
      return;
    case QUOTE:
    case BACKSLASH:
      byte(value);
      return;
    default:
      // A "u" and four digits, the first two of which are 0.
      store<u8>(out, 0x75);
      store<u16>(out + 1, 0x3030);
      store<u8>(out + 3, hexDigit(value >> 4));
      store<u8>(out + 4, hexDigit(value & 0x0f));
      out += 5;
  }
}

/** Puts a text as JSON writes it between quotes. */
export function text(from: usize, to: usize): void {
  while (from < to) {
    const bytes = v128.load(from);
    v128.store(out, bytes);
    const special = v128.or(
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
    );
    // How many of the 16 are as they came; of those behind the end it does not matter.
    const plain = min<usize>(<usize>ctz<u32>(i8x16.bitmask(special) | 0x10000), to - from);
    out += plain;
    from += plain;
    if (plain < 16 && from < to) textByte(load<u8>(from++));
  }
}
