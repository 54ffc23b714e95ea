import { z } from "zod";

/** Numbers of 32 bits, out of the bytes of a column. */
const numbers = z
  .instanceof(Uint8Array)
  .transform((bytes) => new Uint32Array(bytes.slice().buffer));

/**
 * Rows that a staging saw: ids of fingerprints, and the numbers of the rows. Where `lengths` is there, each
 * entry is a run of so many, ids and rows on from its own: a source that is read in the order in which it
 * was first sent is one long run.
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

/** Gathers rows that were seen, and joins those that continue each other. */
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

  /** What the columns of the entry hold: whichever is shorter. */
  columns(): { ids: Uint8Array; rowNumbers: Uint8Array; lengths: Uint8Array | null } {
    const runs = { ids: this.#ids, rowNumbers: this.#rowNumbers };
    if (3 * this.#ids.length < 2 * this.#rows) {
      return { ...bytesOf(runs), lengths: bytesOfNumbers(this.#lengths) };
    }
    const [ids, rowNumbers]: [number[], number[]] = [[], []];
    const seen = { ids: Uint32Array.from(runs.ids), rowNumbers: Uint32Array.from(runs.rowNumbers) };
    eachSeen({ ...seen, lengths: Uint32Array.from(this.#lengths) }, (id, rowNumber) => {
      ids.push(id);
      rowNumbers.push(rowNumber);
    });
    return { ...bytesOf({ ids, rowNumbers }), lengths: null };
  }
}

function bytesOfNumbers(all: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(all).buffer);
}

function bytesOf(rows: {
  readonly ids: readonly number[];
  readonly rowNumbers: readonly number[];
}): {
  ids: Uint8Array;
  rowNumbers: Uint8Array;
} {
  return { ids: bytesOfNumbers(rows.ids), rowNumbers: bytesOfNumbers(rows.rowNumbers) };
}
