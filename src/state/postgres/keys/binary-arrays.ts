// Array parameters in the binary format of Postgres, which costs a fraction of the text format on both sides.

/** Types of elements, as `pg_type` numbers them. */
const typeIds = { bigint: 20, smallint: 21, integer: 23, bytea: 17, uuid: 2950 } as const;

type ElementType = keyof typeof typeIds;

/** Bytes in front of the elements of an array, and of an array without elements. */
const [headBytes, emptyBytes] = [20, 12];

/** Bytes in front of each element. */
const lengthBytes = 4;

/** An array of elements of one size; `put` writes one of them at an offset of the buffer. */
function arrayOf(
  {
    type,
    size,
    count,
  }: { readonly type: ElementType; readonly size: number; readonly count: number },
  put: (buffer: Buffer, at: number, index: number) => void,
): Buffer {
  const buffer = Buffer.alloc(count === 0 ? emptyBytes : headBytes + count * (lengthBytes + size));
  buffer.writeInt32BE(count === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(typeIds[type], 8);
  if (count === 0) return buffer;
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  for (let [index, at] = [0, headBytes]; index < count; index += 1, at += size) {
    buffer.writeInt32BE(size, at);
    at += lengthBytes;
    put(buffer, at, index);
  }
  return buffer;
}

/** Selected numbers of 64 bits, in the given order, as `bigint[]`. */
export function bigintsOf(numbers: BigInt64Array, order: readonly number[]): Buffer {
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
  return arrayOf({ type: "bigint", size: 8, count: order.length }, (buffer, at, index) => {
    const word = (order[index] ?? 0) * 2;
    buffer.writeInt32BE(words[word + 1] ?? 0, at);
    buffer.writeInt32BE(words[word] ?? 0, at + 4);
  });
}

/** Numbers of 32 bits, as `integer[]`. */
export function integerArray(numbers: ArrayLike<number>): Buffer {
  return arrayOf({ type: "integer", size: 4, count: numbers.length }, (buffer, at, index) => {
    buffer.writeInt32BE(numbers[index] ?? 0, at);
  });
}

/** Numbers of 16 bits, as `smallint[]`. */
export function smallintArray(numbers: ArrayLike<number>): Buffer {
  return arrayOf({ type: "smallint", size: 2, count: numbers.length }, (buffer, at, index) => {
    buffer.writeInt16BE(numbers[index] ?? 0, at);
  });
}

/** Selected items of `size` bytes each, in the given order, as an array of `type`: 8 are a `bigint`, 16 a `uuid`. */
export function bytesArray(
  type: "bigint" | "bytea" | "uuid",
  { bytes, size }: { readonly bytes: Uint8Array; readonly size: number },
  order: readonly number[],
): Buffer {
  return arrayOf({ type, size, count: order.length }, (buffer, at, index) => {
    const from = (order[index] ?? 0) * size;
    buffer.set(bytes.subarray(from, from + size), at);
  });
}
