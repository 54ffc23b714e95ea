import { z } from "zod";

/** 32-bit numbers, read from the bytes of a column. */
export const numbers = z
  .instanceof(Uint8Array)
  .transform((bytes) => new Uint32Array(new Uint8Array(bytes).buffer));

/**
 * Rows that a staging saw: ids of fingerprints, and the numbers of the rows. With `lengths`, each entry is a run of
 * that many consecutive ids and rows: a source that is read in the order in which it was first sent is one long run.
 */
export const seenRows = z.object({
  ids: numbers,
  rowNumbers: numbers,
  lengths: numbers.nullable(),
});

/** The rows of one entry of `sightings`. */
export type SeenRows = z.output<typeof seenRows>;

/** Calls `each` with every row. */
export function eachSeen(
  { ids, rowNumbers, lengths }: SeenRows,
  each: (id: number, rowNumber: number) => void,
): void {
  for (const [index, id] of ids.entries()) {
    const rowNumber = rowNumbers[index] ?? 0;
    const length = lengths?.[index] ?? 1;
    for (let on = 0; on < length; on += 1) each(id + on, rowNumber + on);
  }
}

/** Collects rows that were seen, and joins consecutive ones into runs. */
export class SeenRowsWriter {
  readonly #ids: number[] = [];
  readonly #rowNumbers: number[] = [];
  readonly #lengths: number[] = [];
  #nextId = -1;
  #nextRow = -1;
  #rows = 0;

  add(id: number, rowNumber: number): void {
    const last = this.#lengths.length - 1;
    if (id === this.#nextId && rowNumber === this.#nextRow) {
      this.#lengths[last] = (this.#lengths[last] ?? 0) + 1;
    } else {
      this.#ids.push(id);
      this.#rowNumbers.push(rowNumber);
      this.#lengths.push(1);
    }
    this.#nextId = id + 1;
    this.#nextRow = rowNumber + 1;
    this.#rows += 1;
  }

  /** The rows as one entry, as runs or one by one, whichever is shorter. */
  rows(): SeenRows {
    const runs = {
      ids: Uint32Array.from(this.#ids),
      rowNumbers: Uint32Array.from(this.#rowNumbers),
      lengths: Uint32Array.from(this.#lengths),
    };
    if (3 * this.#ids.length < 2 * this.#rows) return runs;
    const [ids, rowNumbers] = [new Uint32Array(this.#rows), new Uint32Array(this.#rows)];
    let at = 0;
    eachSeen(runs, (id, rowNumber) => {
      ids[at] = id;
      rowNumbers[at++] = rowNumber;
    });
    return { ids, rowNumbers, lengths: null };
  }

  /** The columns of the entry. */
  columns(): { ids: Uint8Array; rowNumbers: Uint8Array; lengths: Uint8Array | null } {
    const { ids, rowNumbers, lengths } = this.rows();
    return {
      ids: bytesOfNumbers(ids),
      rowNumbers: bytesOfNumbers(rowNumbers),
      lengths: lengths === null ? null : bytesOfNumbers(lengths),
    };
  }
}

/** The bytes of a column of `numbers`. */
export function bytesOfNumbers({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
