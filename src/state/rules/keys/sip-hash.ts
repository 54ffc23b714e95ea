import type { TextBlock } from "../../text-block.ts";

/** Bytes of the secret, and of a hash. */
export const sipBytes = 16;

/** The ASCII text "somepseudorandomlygeneratedbytes" as halves of four words. */
const constants = [
  0x70736575, 0x736f6d65, 0x6e646f6d, 0x646f7261, 0x6e657261, 0x6c796765, 0x79746573, 0x74656462,
] as const;

/** Bytes of a block of the message. */
const blockBytes = 8;

/** Sends a state through some SipRounds. It is four words of 64 bits, each as two halves, the lower one first. */
function sipRounds(state: Int32Array, times: number): void {
  let [a = 0, ah = 0, b = 0, bh = 0, c = 0, ch = 0, d = 0, dh = 0] = state;
  let low = 0;
  for (let round = 0; round < times; round += 1) {
    // Of a sum that is less than one of its parts, one is carried.
    a = (a + b) | 0;
    ah = (ah + bh + (a >>> 0 < b >>> 0 ? 1 : 0)) | 0;
    low = (b << 13) | (bh >>> 19);
    bh = ((bh << 13) | (b >>> 19)) ^ ah;
    b = low ^ a;
    c = (c + d) | 0;
    ch = (ch + dh + (c >>> 0 < d >>> 0 ? 1 : 0)) | 0;
    low = (d << 16) | (dh >>> 16);
    dh = ((dh << 16) | (d >>> 16)) ^ ch;
    d = low ^ c;
    // The first word has turned by 32 bits: its halves have changed places.
    low = (ah + d) | 0;
    ah = (a + dh + (low >>> 0 < d >>> 0 ? 1 : 0)) | 0;
    a = low;
    low = (d << 21) | (dh >>> 11);
    dh = ((dh << 21) | (d >>> 11)) ^ ah;
    d = low ^ a;
    c = (c + b) | 0;
    ch = (ch + bh + (c >>> 0 < b >>> 0 ? 1 : 0)) | 0;
    low = (b << 17) | (bh >>> 15);
    bh = ((bh << 17) | (b >>> 15)) ^ ch;
    b = low ^ c;
    low = c;
    c = ch;
    ch = low;
  }
  state[0] = a;
  state[1] = ah;
  state[2] = b;
  state[3] = bh;
  state[4] = c;
  state[5] = ch;
  state[6] = d;
  state[7] = dh;
}

/** The word of up to four bytes, the lowest first. */
function wordAt(bytes: Uint8Array, at: number, end: number): number {
  let word = 0;
  for (let index = Math.min(end, at + 4) - 1; index >= at; index -= 1) {
    word = (word << 8) | (bytes[index] ?? 0);
  }
  return word;
}

/** Takes one block of a message in. */
function absorb(state: Int32Array, low: number, high: number): void {
  state[6] = (state[6] ?? 0) ^ low;
  state[7] = (state[7] ?? 0) ^ high;
  sipRounds(state, 2);
  state[0] = (state[0] ?? 0) ^ low;
  state[1] = (state[1] ?? 0) ^ high;
}

/** The exclusive or of the lower, or the higher, halves of all words. */
function fold(state: Int32Array, half: 0 | 1): number {
  return (
    (state[half] ?? 0) ^ (state[2 + half] ?? 0) ^ (state[4 + half] ?? 0) ^ (state[6 + half] ?? 0)
  );
}

/** The words of a hash. */
export const sipWords = sipBytes / Int32Array.BYTES_PER_ELEMENT;

/**
 * Makes SipHash-2-4 with 128 bits, for texts that all have `prefix`, whole blocks of 8 bytes, in front: a
 * keyed hash, so that nobody who does not know the secret can make two texts meet. Written here because
 * calling one of `node:crypto` for each short text takes four times as long as this. Answers four words for
 * each text.
 */
export function createSipHash(
  secret: Uint8Array,
  prefix: Uint8Array = new Uint8Array(),
): (texts: TextBlock) => Int32Array {
  const begun = new Int32Array(constants);
  for (let word = 0; word < begun.length; word += 1) {
    begun[word] = (begun[word] ?? 0) ^ wordAt(secret, (word % sipWords) * 4, sipBytes);
  }
  begun[2] = (begun[2] ?? 0) ^ 0xee;
  for (let at = 0; at < prefix.length; at += blockBytes) {
    absorb(begun, wordAt(prefix, at, prefix.length), wordAt(prefix, at + 4, prefix.length));
  }
  return ({ bytes, ends }) => {
    const hashes = new Int32Array(ends.length * sipWords);
    const state = new Int32Array(begun.length);
    let from = 0;
    for (let index = 0; index < ends.length; index += 1) {
      const to = ends[index] ?? from;
      state.set(begun);
      let at = from;
      for (; at + blockBytes <= to; at += blockBytes) {
        absorb(state, wordAt(bytes, at, to), wordAt(bytes, at + 4, to));
      }
      // The last block ends with the length of the whole, in one byte.
      const length = (prefix.length + to - from) << 24;
      absorb(state, wordAt(bytes, at, to), wordAt(bytes, at + 4, to) | length);
      state[4] = (state[4] ?? 0) ^ 0xee;
      sipRounds(state, 4);
      hashes[index * sipWords] = fold(state, 0);
      hashes[index * sipWords + 1] = fold(state, 1);
      state[2] = (state[2] ?? 0) ^ 0xdd;
      sipRounds(state, 4);
      hashes[index * sipWords + 2] = fold(state, 0);
      hashes[index * sipWords + 3] = fold(state, 1);
      from = to;
    }
    return hashes;
  };
}
