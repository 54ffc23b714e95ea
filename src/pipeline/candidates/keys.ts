import { PageMemory } from "../../records/page-memory.ts";
import type { TextBlock } from "../../state/text-block.ts";
import type { RecordPage } from "../page.ts";
import type { Candidates } from "./candidates.ts";

const [backslash, quote, comma, openBracket, closeBracket] = [0x5c, 0x22, 0x2c, 0x5b, 0x5d];

/** Equals no byte. */
const nothing = -1;

/** Most bytes of UTF-8 for one UTF-16 code unit. */
const bytesPerCharMax = 3;

/** Initial room of a list of keys. */
const listBytesMin = 64 * 1024;

/** Writes texts one after the other. */
class TextBytes {
  bytes: Buffer;
  end = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  byte(byte: number): void {
    this.bytes[this.end] = byte;
    this.end += 1;
  }

  text(text: string): void {
    this.end += this.bytes.write(text, this.end);
  }

  /** Copies a key as it is in its line; if it holds a `stop`, copies nothing and returns false. */
  key(candidates: Candidates, position: number, stop: number): boolean {
    const { jsonl } = candidates;
    const [keyFrom, keyTo] = [candidates.keyFromOf(position), candidates.keyToOf(position)];
    const out = this.bytes;
    let at = this.end;
    // Not with `copy`: calling it takes longer than moving so few bytes.
    for (let index = keyFrom; index < keyTo; index += 1) {
      const byte = jsonl[index] ?? 0;
      if (byte === stop) return false;
      out[at] = byte;
      at += 1;
    }
    this.end = at;
    return true;
  }
}

/** Most bytes of a key; where its JSON is in a line, the bytes of that JSON. */
function bytesMaxOf(candidates: Candidates, position: number): number {
  const keyFrom = candidates.keyFromOf(position);
  if (keyFrom === -1) return candidates.keyAt(position).length * bytesPerCharMax;
  return candidates.keyToOf(position) - keyFrom;
}

/** The keys of the candidates of some pages, in memory of their own. */
export function keysOf(pages: readonly RecordPage[]): TextBlock {
  let [count, bytes] = [0, 0];
  for (const { candidates } of pages) {
    count += candidates.length;
    for (let position = 0; position < candidates.length; position += 1) {
      bytes += bytesMaxOf(candidates, position);
    }
  }
  const ends = new Uint32Array(count);
  // Memory of its own, because it is handed over.
  const texts = new TextBytes(Buffer.allocUnsafeSlow(bytes));
  let index = 0;
  for (const { candidates } of pages) {
    for (let position = 0; position < candidates.length; position += 1) {
      // An escaped key has no more bytes as a text.
      const isObject = candidates.keyFromOf(position) === -1;
      const isCopied = !isObject && texts.key(candidates, position, backslash);
      if (!isCopied) texts.text(candidates.keyAt(position));
      ends[index] = texts.end;
      index += 1;
    }
  }
  return { bytes: texts.bytes.subarray(0, texts.end), ends };
}

/** Memory of finished lists. */
const listMemory = new PageMemory();

/** Gathers the keys of a chunk as a JSON array, in bytes: as texts, all of them would stay in memory until it ends. */
export class KeyList {
  #texts = new TextBytes(listMemory.take(listBytesMin));

  /** Adds the keys of the candidates of a page. */
  add(candidates: Candidates): void {
    for (let position = 0; position < candidates.length; position += 1) {
      this.#add(candidates, position);
    }
  }

  #add(candidates: Candidates, position: number): void {
    const isObject = candidates.keyFromOf(position) === -1;
    const json = isObject ? JSON.stringify(candidates.keyAt(position)) : "";
    const bytes = isObject ? json.length * bytesPerCharMax : bytesMaxOf(candidates, position);
    // With a comma or a bracket before it, two quotes, and a bracket after the last.
    this.#makeRoom(bytes + 4);
    const texts = this.#texts;
    texts.byte(texts.end === 0 ? openBracket : comma);
    if (isObject) {
      texts.text(json);
      return;
    }
    texts.byte(quote);
    texts.key(candidates, position, nothing);
    texts.byte(quote);
  }

  /** The array; nothing is added afterwards. */
  json(): string {
    const texts = this.#texts;
    if (texts.end === 0) return "[]";
    texts.byte(closeBracket);
    const json = texts.bytes.toString("utf8", 0, texts.end);
    listMemory.giveBack(texts.bytes);
    return json;
  }

  #makeRoom(bytes: number): void {
    const { bytes: before, end } = this.#texts;
    if (end + bytes <= before.length) return;
    const grown = new TextBytes(listMemory.take(2 * (end + bytes)));
    before.copy(grown.bytes, 0, 0, end);
    listMemory.giveBack(before);
    grown.end = end;
    this.#texts = grown;
  }
}
