import { makeMemory, type WasmMemory, WasmProgram } from "../../../wasm/program.ts";
import type { TextBlock } from "../../text-block.ts";

/** Bytes of the secret, and of a hash. */
export const sipBytes = 16;

/** The words of a hash. */
export const sipWords = sipBytes / Int32Array.BYTES_PER_ELEMENT;

/** What wasm/sip/index.ts exports; addresses and sizes in bytes. */
type SipProgram = {
  readonly memory: WasmMemory;
  heapAt(): number;
  hash(
    secret: number,
    prefix: number,
    prefixBytes: number,
    bytes: number,
    ends: number,
    count: number,
    out: number,
  ): void;
};

const program = new WasmProgram<SipProgram>(new URL("./sip.wasm", import.meta.url));

/** Texts hashed at a time, to keep their memory small. */
const textsMax = 10_000;

/**
 * Makes a SipHash-2-4 function with 128 bits, for texts that are all preceded by `prefix`, whole blocks of 8 bytes. It
 * is keyed, so that nobody can construct a collision without the secret. It returns four words for each text.
 */
export function createSipHash(
  secret: Uint8Array,
  prefix: Uint8Array = new Uint8Array(),
): (texts: TextBlock) => Int32Array {
  return (texts) => {
    const hashes = new Int32Array(texts.ends.length * sipWords);
    const sip = program.take();
    for (let first = 0; first < texts.ends.length; first += textsMax) {
      const some = someOf(texts, first);
      hashes.set(hashOf(sip, { secret, prefix }, some), first * sipWords);
    }
    program.giveBack(sip);
    return hashes;
  };
}

/** The texts from `first` on, at most `textsMax`. */
function someOf({ bytes, ends }: TextBlock, first: number): TextBlock {
  const from = ends[first - 1] ?? 0;
  const some = ends.slice(first, first + textsMax);
  if (from > 0) for (const [index, end] of some.entries()) some[index] = end - from;
  return { bytes: bytes.subarray(from, from + (some.at(-1) ?? 0)), ends: some };
}

/** The hashes of some texts, in the program's memory: valid until its next call. */
function hashOf(
  sip: SipProgram,
  { secret, prefix }: { readonly secret: Uint8Array; readonly prefix: Uint8Array },
  { bytes, ends }: TextBlock,
): Int32Array {
  const { memory } = sip;
  const secretAt = sip.heapAt();
  const prefixAt = secretAt + sipBytes;
  const outAt = prefixAt + prefix.length;
  const endsAt = outAt + ends.length * sipBytes;
  const bytesAt = endsAt + ends.byteLength;
  makeMemory(memory, bytesAt + bytes.length);
  const { buffer } = memory;
  const all = new Uint8Array(buffer);
  all.set(secret, secretAt);
  all.set(prefix, prefixAt);
  all.set(bytes, bytesAt);
  new Uint32Array(buffer, endsAt, ends.length).set(ends);
  sip.hash(secretAt, prefixAt, prefix.length, bytesAt, endsAt, ends.length, outAt);
  return new Int32Array(buffer, outAt, ends.length * sipWords);
}
