/** Texts one after another in UTF-8, and where each of them ends: memory that crosses to another thread as it is. */
export type TextBlock = { readonly bytes: Uint8Array; readonly ends: Uint32Array };

/** Puts texts into a block. */
export function textBlockOf(texts: readonly string[]): TextBlock {
  const ends = new Uint32Array(texts.length);
  let length = 0;
  for (const [index, text] of texts.entries()) ends[index] = length += text.length;
  const joined = texts.join("");
  // Unpooled memory, because it is transferred. In ASCII, each code unit is one byte.
  if (Buffer.byteLength(joined) === length) {
    const bytes = Buffer.allocUnsafeSlow(length);
    bytes.write(joined, "latin1");
    return { bytes, ends };
  }
  length = 0;
  for (const [index, text] of texts.entries()) ends[index] = length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  for (const [index, text] of texts.entries()) bytes.write(text, ends[index - 1] ?? 0);
  return { bytes, ends };
}

/** One of the texts of a block. */
export function textAt({ bytes, ends }: TextBlock, index: number): string {
  const { buffer, byteOffset } = bytes;
  const from = ends[index - 1] ?? 0;
  return Buffer.from(buffer, byteOffset + from, (ends[index] ?? from) - from).toString();
}
