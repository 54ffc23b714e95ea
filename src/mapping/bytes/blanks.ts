/** Where a text begins and ends without the blanks around it. */
export type Trimmed = { readonly from: number; readonly to: number };

function isAsciiBlank(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

/** Whether the three bytes from `at` on, or the first two of them, are a blank outside ASCII. */
function isWideBlank(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  switch (first) {
    case 0xc2:
      return second === 0xa0;
    case 0xe1:
      return second === 0x9a && third === 0x80;
    case 0xe2:
      return second === 0x80
        ? third <= 0x8a || third === 0xa8 || third === 0xa9 || third === 0xaf
        : second === 0x81 && third === 0x9f;
    case 0xe3:
      return second === 0x80 && third === 0x80;
    case 0xef:
      return second === 0xbb && third === 0xbf;
    default:
      return false;
  }
}

/**
 * Drops the blanks around UTF-8 text as `String.prototype.trim` does; undefined where it begins or ends with a blank
 * outside ASCII, which is left to objects.
 */
export function trimmed(bytes: Uint8Array, from: number, to: number): Trimmed | undefined {
  let [first, last] = [from, to];
  while (first < last && isAsciiBlank(bytes[first])) first += 1;
  while (first < last && isAsciiBlank(bytes[last - 1])) last -= 1;
  if (first === last) return { from: first, to: last };
  if ((bytes[first] ?? 0) > 0x7f && isWideBlank(bytes, first)) return undefined;
  if ((bytes[last - 1] ?? 0) > 0x7f) {
    if (isWideBlank(bytes, last - 2) && bytes[last - 2] === 0xc2) return undefined;
    if (isWideBlank(bytes, last - 3)) return undefined;
  }
  return { from: first, to: last };
}
