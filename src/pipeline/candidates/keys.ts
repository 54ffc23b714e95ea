import type { TextBlock } from "../../state/text-block.ts";
import type { Candidate, RecordPage } from "../page.ts";

const [backslash, quote, comma, openBracket, closeBracket] = [0x5c, 0x22, 0x2c, 0x5b, 0x5d];

/** Bytes of UTF-8 that one UTF-16 code unit has at most. */
const bytesPerCharMax = 3;

/** Room that a list of keys begins with. */
const listBytesMin = 64 * 1024;

/** Puts texts one behind the other. */
class TextBytes {
  bytes: Buffer;
  end = 0;

  constructor(bytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
  }

  byte(byte: number): void {
    this.bytes[this.end] = byte;
    this.end += 1;
  }

  text(text: string): void {
    this.end += this.bytes.write(text, this.end);
  }

  /** Copies a part of a line; it ends before a `stop`, and answers whether it met none. */
  part(line: Buffer, { from, to }: Range, stop?: number): boolean {
    const out = this.bytes;
    let at = this.end;
    // Not by `copy`, which takes longer to call than so few bytes to move.
    for (let index = from; index < to; index += 1) {
      const byte = line[index] ?? 0;
      if (byte === stop) return false;
      out[at] = byte;
      at += 1;
    }
    this.end = at;
    return true;
  }
}

type Range = { readonly from: number; readonly to: number };

/** Bytes that a key has at most, and that its JSON has where that is known. */
function bytesMaxOf(candidate: Candidate): number {
  const { keyJson } = candidate;
  return keyJson === undefined ? candidate.key.length * bytesPerCharMax : keyJson.to - keyJson.from;
}

/** The keys of the candidates of some pages, in memory of their own. */
export function keysOf(pages: readonly RecordPage[]): TextBlock {
  let [count, bytes] = [0, 0];
  for (const { candidates } of pages) {
    count += candidates.length;
    for (const candidate of candidates) bytes += bytesMaxOf(candidate);
  }
  const ends = new Uint32Array(count);
  const texts = new TextBytes(bytes);
  let index = 0;
  for (const { candidates, jsonl } of pages) {
    for (const candidate of candidates) {
      const { keyJson } = candidate;
      // What is escaped has no more bytes as a text.
      const isCopied = keyJson !== undefined && texts.part(jsonl, keyJson, backslash);
      if (!isCopied) texts.text(candidate.key);
      ends[index] = texts.end;
      index += 1;
    }
  }
  return { bytes: texts.bytes.subarray(0, texts.end), ends };
}

/** Gathers the keys of a chunk as a JSON array: as bytes, because so many texts would be in memory until it ends. */
export class KeyList {
  #texts = new TextBytes(listBytesMin);

  add({ jsonl }: Pick<RecordPage, "jsonl">, candidate: Candidate): void {
    const { keyJson } = candidate;
    const json = keyJson === undefined ? JSON.stringify(candidate.key) : undefined;
    // With a comma or a bracket before it, two quotes, and a bracket behind the last.
    this.#makeRoom(
      (json === undefined ? bytesMaxOf(candidate) : json.length * bytesPerCharMax) + 4,
    );
    const texts = this.#texts;
    texts.byte(texts.end === 0 ? openBracket : comma);
    if (json !== undefined) texts.text(json);
    if (keyJson === undefined) return;
    texts.byte(quote);
    texts.part(jsonl, keyJson);
    texts.byte(quote);
  }

  /** The array; nothing is added afterwards. */
  json(): string {
    const texts = this.#texts;
    if (texts.end === 0) return "[]";
    texts.byte(closeBracket);
    return texts.bytes.toString("utf8", 0, texts.end);
  }

  #makeRoom(bytes: number): void {
    const { bytes: before, end } = this.#texts;
    if (end + bytes <= before.length) return;
    const grown = new TextBytes(2 * (end + bytes));
    before.copy(grown.bytes, 0, 0, end);
    grown.end = end;
    this.#texts = grown;
  }
}
