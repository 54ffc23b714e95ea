import { ageOf } from "../../rules/keys/ages.ts";
import { eachSeen, type SeenRows } from "../../rules/keys/seen-rows.ts";

/** The number of ids whose ages are in one row. */
export const idsPerBlock = 8_192;

/** The bytes of a column that holds the age of each id separately. */
const wholeBytes = idsPerBlock * Float64Array.BYTES_PER_ELEMENT;

/** The bytes of a run of ids with consecutive ages: the place of the first id, the length, and the age of the first. */
const runBytes = 2 + 2 + 8;

/** The ages of a block, read from its column. */
export function agesOf(bytes: Uint8Array): Float64Array {
  if (bytes.length === wholeBytes) return new Float64Array(bytes.slice().buffer);
  const ages = new Float64Array(idsPerBlock);
  const runs = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += runBytes) {
    const [first, length] = [runs.getUint16(at, true), runs.getUint16(at + 2, true)];
    const age = runs.getFloat64(at + 4, true);
    for (let on = 0; on < length; on += 1) ages[first + on] = age + on;
  }
  return ages;
}

/** How many ids from `first` on have consecutive ages; 0 if `first` has no age. */
function runLength(ages: Float64Array, first: number): number {
  const age = ages[first] ?? 0;
  if (age === 0) return 0;
  let length = 1;
  while (ages[first + length] === age + length) length += 1;
  return length;
}

/**
 * The bytes of a block's column: runs, or each age, whichever is shorter. A source that is read in the order in which
 * it was first sent takes a few runs.
 */
export function bytesOfAges(ages: Float64Array): Uint8Array {
  const runs = new DataView(new ArrayBuffer(wholeBytes));
  let end = 0;
  for (let first = 0; first < idsPerBlock;) {
    const length = runLength(ages, first);
    if (length > 0) {
      if (end + runBytes >= wholeBytes) {
        return new Uint8Array(ages.buffer, ages.byteOffset, ages.byteLength);
      }
      runs.setUint16(end, first, true);
      runs.setUint16(end + 2, length, true);
      runs.setFloat64(end + 4, ages[first] ?? 0, true);
      end += runBytes;
    }
    first += Math.max(1, length);
  }
  return new Uint8Array(runs.buffer.slice(0, end));
}

/** Ages by id, a block of them at a time. */
export class Ages {
  readonly blocks = new Map<number, Float64Array>();

  /** 0 if there is none. */
  of(id: number): number {
    return this.blocks.get(Math.floor(id / idsPerBlock))?.[id % idsPerBlock] ?? 0;
  }

  /** Adds what a staging saw; the newest of several ages of an id stays. */
  add(seen: SeenRows, send: number): void {
    eachSeen(seen, (id, rowNumber) => this.addOne(id, ageOf(send, rowNumber)));
  }

  /** Adds one age. */
  addOne(id: number, age: number): void {
    const block = this.#have(Math.floor(id / idsPerBlock));
    if (age > (block[id % idsPerBlock] ?? 0)) block[id % idsPerBlock] = age;
  }

  #have(number: number): Float64Array {
    let block = this.blocks.get(number);
    if (block === undefined) this.blocks.set(number, (block = new Float64Array(idsPerBlock)));
    return block;
  }
}
