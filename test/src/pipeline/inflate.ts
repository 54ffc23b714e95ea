// Reads raw deflate, written from RFC 1951 alone and sharing nothing with zlib: stricter, and slow.

/** What a reader finds in deflated bytes. */
export type Inflated = {
  readonly bytes: Buffer;
  /** The kinds of its blocks, in order: 0 stored, 1 fixed codes, 2 codes of their own. */
  readonly blocks: readonly number[];
  readonly lengths: ReadonlySet<number>;
  readonly distances: ReadonlySet<number>;
  /** Bits in the longest code of a literal or length. */
  readonly codeBitsMax: number;
};

/** A code: for each number of bits, the symbols whose codes have that length, in order. */
type Code = readonly (readonly number[])[];

const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** @throws {Error} the lengths do not form a complete prefix code. */
function codeOf(lengths: readonly number[]): Code {
  const code: number[][] = Array.from({ length: 16 }, () => []);
  for (const [symbol, length] of lengths.entries()) if (length > 0) code[length]?.push(symbol);
  const room = code.reduce((sum, { length }, bits) => sum + length * 2 ** (15 - bits), 0);
  if (room !== 2 ** 15) throw new Error(`the code fills ${room} of ${2 ** 15}`);
  return code;
}

class Bits {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, this.#at += 1) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new Error("the bytes end too early");
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** bit;
    }
    return value;
  }

  symbol(code: Code): number {
    let [value, first] = [0, 0];
    for (const symbols of code.slice(1)) {
      value = value * 2 + this.get(1);
      first *= 2;
      const symbol = symbols[value - first];
      if (symbol !== undefined) return symbol;
      first += symbols.length;
    }
    throw new Error("no such code");
  }

  align(): void {
    this.#at = Math.ceil(this.#at / 8) * 8;
  }

  isAtEnd(): boolean {
    return Math.ceil(this.#at / 8) === this.#bytes.length;
  }
}

/** Literals, lengths and distances, in codes that the block itself defines. */
function readCodes(bits: Bits): { readonly symbols: number[]; readonly distances: number[] } {
  const [symbols, distances] = [bits.get(5) + 257, bits.get(5) + 1];
  const own = Array.from({ length: 19 }, () => 0);
  for (const symbol of order.slice(0, bits.get(4) + 4)) own[symbol] = bits.get(3);
  const code = codeOf(own);
  const lengths: number[] = [];
  while (lengths.length < symbols + distances) {
    const symbol = bits.symbol(code);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) {
      const before = lengths.at(-1);
      if (before === undefined) throw new Error("there is nothing to repeat");
      lengths.push(...Array.from({ length: 3 + bits.get(2) }, () => before));
    } else {
      const times = symbol === 17 ? 3 + bits.get(3) : 11 + bits.get(7);
      lengths.push(...Array.from({ length: times }, () => 0));
    }
  }
  if (lengths.length > symbols + distances) throw new Error("more lengths than were said");
  return { symbols: lengths.slice(0, symbols), distances: lengths.slice(symbols) };
}

/** The length of a symbol from 257 on. */
function lengthOf(symbol: number, bits: Bits): number {
  if (symbol === 285) return 258;
  if (symbol > 285) throw new Error(`no length has the symbol ${symbol}`);
  const slot = symbol - 257;
  if (slot < 8) return 3 + slot;
  const extra = (slot >> 2) - 1;
  const length = 3 + ((4 + (slot & 3)) << extra) + bits.get(extra);
  if (length > 257) throw new Error("258 has a symbol of its own");
  return length;
}

function distanceOf(slot: number, bits: Bits): number {
  if (slot > 29) throw new Error(`no distance has the symbol ${slot}`);
  if (slot < 4) return 1 + slot;
  const extra = (slot >> 1) - 1;
  return 1 + ((2 + (slot & 1)) << extra) + bits.get(extra);
}

/** Reads all blocks to the last. @throws {Error} the bytes are not valid deflate, or continue after it. */
export function inflate(deflated: Buffer): Inflated {
  const bits = new Bits(deflated);
  const bytes: number[] = [];
  const [blocks, lengths, distances]: [number[], Set<number>, Set<number>] = [
    [],
    new Set(),
    new Set(),
  ];
  let codeBitsMax = 0;
  const readCoded = (own: { readonly symbols: number[]; readonly distances: number[] }): void => {
    codeBitsMax = Math.max(codeBitsMax, ...own.symbols);
    const [code, distanceCode] = [codeOf(own.symbols), codeOf(own.distances)];
    for (let symbol = bits.symbol(code); symbol !== 256; symbol = bits.symbol(code)) {
      if (symbol < 256) {
        bytes.push(symbol);
        continue;
      }
      const length = lengthOf(symbol, bits);
      const distance = distanceOf(bits.symbol(distanceCode), bits);
      if (distance > bytes.length) throw new Error("a match begins before the bytes");
      for (let left = length; left > 0; left -= 1) bytes.push(bytes[bytes.length - distance] ?? 0);
      lengths.add(length);
      distances.add(distance);
    }
  };
  for (let isLast = false; !isLast;) {
    isLast = bits.get(1) === 1;
    const type = bits.get(2);
    blocks.push(type);
    if (type === 0) {
      bits.align();
      const length = bits.get(16);
      if (bits.get(16) !== 65_535 - length) throw new Error("the length is not said twice");
      for (let left = length; left > 0; left -= 1) bytes.push(bits.get(8));
    } else if (type === 1) {
      const symbols = Array.from({ length: 288 }, (_, n) =>
        n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8,
      );
      readCoded({ symbols, distances: Array.from({ length: 32 }, () => 5) });
    } else if (type === 2) readCoded(readCodes(bits));
    else throw new Error("no block has the type 3");
  }
  if (!bits.isAtEnd()) throw new Error("there is more than the last block");
  return { bytes: Buffer.from(bytes), blocks, lengths, distances, codeBitsMax };
}
