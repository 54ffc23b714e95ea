// Blanks around a text, as `String.prototype.trim` drops them.

function isBlank(byte: u32): bool {
  return byte == 0x20 || byte - 0x09 <= 4;
}

/** Whether the three bytes at `at`, or the first two of them, are a blank outside ASCII. */
function isWideBlank(at: usize): bool {
  const second: u32 = load<u8>(at + 1);
  const third: u32 = load<u8>(at + 2);
  switch (<u32>load<u8>(at)) {
    case 0xc2:
      return second == 0xa0;
    case 0xe1:
      return second == 0x9a && third == 0x80;
    case 0xe2:
      return second == 0x80
        ? third <= 0x8a || third == 0xa8 || third == 0xa9 || third == 0xaf
        : second == 0x81 && third == 0x9f;
    case 0xe3:
      return second == 0x80 && third == 0x80;
    case 0xef:
      return second == 0xbb && third == 0xbf;
    default:
      return false;
  }
}

export let trimmedFrom: usize = 0;
export let trimmedTo: usize = 0;

/**
 * Drops the blanks around a text, as `trimmedFrom` and `trimmedTo` say; false where it begins or ends with a blank
 * outside ASCII, which is left to objects.
 */
export function trim(from: usize, to: usize): bool {
  while (from < to && isBlank(load<u8>(from))) from++;
  while (from < to && isBlank(load<u8>(to - 1))) to--;
  trimmedFrom = from;
  trimmedTo = to;
  if (from == to) return true;
  if (load<u8>(from) > 0x7f && isWideBlank(from)) return false;
  if (load<u8>(to - 1) <= 0x7f) return true;
  if (load<u8>(to - 2) == 0xc2 && isWideBlank(to - 2)) return false;
  return !isWideBlank(to - 3);
}
