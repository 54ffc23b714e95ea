/** A set of ids that grows. */
export class IdSet {
  #bits = new Uint8Array(1_024);

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
