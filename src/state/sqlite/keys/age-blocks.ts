import { ageOf } from "../../rules/keys/ages.ts";
import { eachSeen, type SeenRows } from "../../rules/keys/seen-rows.ts";

/** Ids whose ages stand in one row: some 64 KB. */
export const idsPerBlock = 8_192;

/** The ages of a block, as a column holds them. */
export function agesOf(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice().buffer);
}

/** The bytes of a block's column. */
export function bytesOfAges({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Ages by id, a block of them at a time. */
export class Ages {
  readonly blocks = new Map<number, Float64Array>();

  /** 0 where there is none. */
  of(id: number): number {
    return this.blocks.get(Math.floor(id / idsPerBlock))?.[id % idsPerBlock] ?? 0;
  }

  /** Takes in what a staging saw; of several ages of an id the newest stays. */
  add(seen: SeenRows, send: number): void {
    eachSeen(seen, (id, rowNumber) => this.addOne(id, ageOf(send, rowNumber)));
  }

  /** Takes in one age. */
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
