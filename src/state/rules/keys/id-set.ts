/** A set of ids that grows. */
export class IdSet {
  #bits = new Uint8Array(1_024);

  /** Makes a set from the bytes of one. */
  static of(bytes: Uint8Array): IdSet {
    const set = new IdSet();
    set.#bits = new Uint8Array(bytes);
    return set;
  }

  /** A copy of its bytes: a bit for each id, up to the highest. */
  bytes(): Uint8Array {
    return this.#bits.slice(0, this.#bits.findLastIndex((byte) => byte !== 0) + 1);
  }

  get size(): number {
    let ids = 0;
    for (const byte of this.#bits) for (let bits = byte; bits !== 0; bits &= bits - 1) ids += 1;
    return ids;
  }

  /** Its ids that are not in another one, in ascending order. */
  without(other: IdSet): Uint32Array {
    const ids: number[] = [];
    for (const [index, byte] of this.#bits.entries()) {
      const left = byte & ~(other.#bits[index] ?? 0);
      for (let bit = 0; left >>> bit !== 0; bit += 1) {
        if ((left & (1 << bit)) !== 0) ids.push(8 * index + bit);
      }
    }
    return Uint32Array.from(ids);
  }

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(id: number): void {
    const byte = id >>> 3;
    if (byte >= this.#bits.length) this.#grow(byte);
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (id & 7));
  }

  #grow(byte: number): void {
    const bits = new Uint8Array(2 * (byte + 1));
    bits.set(this.#bits);
    this.#bits = bits;
  }
}
