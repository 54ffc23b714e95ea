import { idHashBytes } from "../limits.ts";

/** An event's id. */
export type EventName = {
  /** Number of its connection. */
  readonly connection: number;
  /** Hash of the id. */
  readonly id: Buffer;
};

/** A body that came under an id. */
export type NamedBody = EventName & {
  /** Hash of the body. */
  readonly body: Buffer;
  /** When the first body of the id came, Unix ms. */
  readonly receivedAt: number;
};

// A record, in words of four bytes: the connection, the time as a double, and both hashes.
const idAt = 3;
const hashWords = idHashBytes / 4;
const bodyAt = idAt + hashWords;
const recordWords = bodyAt + hashWords;
const recordBytes = 4 * recordWords;

const capacityMin = 512;

/**
 * Ids in the order in which they came, as records that are stored as they are, and found without reading the disk.
 * Objects would take several times the memory, and the garbage collector would scan it.
 */
export class IdSegment {
  #records = Buffer.alloc(capacityMin * recordBytes);
  /**
   * A record's number, from 1, in a slot given by the first bytes of its id; 0 for a free slot. Half of the slots stay
   * free, so that the next free one is near.
   */
  #slots = new Uint32Array(2 * capacityMin);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ connection, id, body, receivedAt }: NamedBody): void {
    this.#makeRoom(1);
    const records = this.#records;
    const at = this.#size * recordBytes;
    records.writeUInt32LE(connection, at);
    records.writeDoubleLE(receivedAt, at + 4);
    records.set(id, at + 4 * idAt);
    records.set(body, at + 4 * bodyAt);
    this.#size += 1;
    this.#enter(this.#size);
  }

  /** Adds the records that `bytesFrom` returned. */
  addBytes(bytes: Uint8Array): void {
    const added = bytes.length / recordBytes;
    this.#makeRoom(added);
    this.#records.set(bytes, this.#size * recordBytes);
    for (let count = 0; count < added; count++) {
      this.#size += 1;
      this.#enter(this.#size);
    }
  }

  /** The records from this one on, counted from 0, as a view of the segment. */
  bytesFrom(record: number): Buffer {
    return this.#records.subarray(record * recordBytes, this.#size * recordBytes);
  }

  /** A record, counted from 0; its hashes are views of the segment. */
  at(record: number): NamedBody {
    const records = this.#records;
    const at = record * recordBytes;
    return {
      connection: records.readUInt32LE(at),
      receivedAt: records.readDoubleLE(at + 4),
      id: records.subarray(at + 4 * idAt, at + 4 * bodyAt),
      body: records.subarray(at + 4 * bodyAt, at + recordBytes),
    };
  }

  /** The first body that was added under an id, among those that came at `from` (Unix ms) or later. */
  find({ connection, id }: EventName, from: number): NamedBody | undefined {
    for (let slot = this.#slotOf(id.readUInt32LE()); ; slot = this.#next(slot)) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return undefined;
      const at = (number - 1) * recordBytes;
      const isOfId =
        this.#records.readUInt32LE(at) === connection &&
        this.#records.readDoubleLE(at + 4) >= from &&
        id.compare(this.#records, at + 4 * idAt, at + 4 * bodyAt) === 0;
      if (isOfId) return this.at(number - 1);
    }
  }

  /** The numbers of the records, from 0, in the order of their ids. */
  inOrder(): Uint32Array {
    // Id and number in one key, which a typed array sorts without a function. Ties of the first four bytes do not
    // matter.
    const keys = Float64Array.from({ length: this.#size }, (_, record) => {
      return this.#records.readUInt32BE(record * recordBytes + 4 * idAt) * 2 ** 21 + record;
    });
    return Uint32Array.from(keys.toSorted(), (key) => key % 2 ** 21);
  }

  #makeRoom(records: number): void {
    const size = this.#size + records;
    let capacity = this.#slots.length / 2;
    if (size <= capacity) return;
    while (capacity < size) capacity *= 2;
    const before = this.#records;
    this.#records = Buffer.alloc(capacity * recordBytes);
    this.#records.set(before);
    this.#slots = new Uint32Array(2 * capacity);
    for (let number = 1; number <= this.#size; number++) this.#enter(number);
  }

  #enter(number: number): void {
    let slot = this.#slotOf(this.#records.readUInt32LE((number - 1) * recordBytes + 4 * idAt));
    while (this.#slots[slot] !== 0) slot = this.#next(slot);
    this.#slots[slot] = number;
  }

  #slotOf(word: number): number {
    return word & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}
