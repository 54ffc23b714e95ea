import { fieldHashBytes } from "../../contract/keys/known-records.ts";
import type { Database } from "../database.ts";

/** The hashes of the fields of several records, `fieldBytes` for each. */
export type FieldHashes = { readonly fieldBytes: number; readonly hashes: Uint8Array };

/** A field that keys had when they were sent before, and have no more. */
export type LostField = {
  /** See `fieldSlots`. */
  readonly slot: number;
  /** How many keys lost it. */
  keys: number;
  /** Index of the first of them among those judged. */
  readonly first: number;
};

/** The fields that keys lost, as they are found. */
export class FieldLosses {
  readonly #found = new Map<number, LostField>();

  /** Holds the fields of a key against those that it had: 0 stands for one that is not there. */
  compare(before: Uint8Array, now: Uint8Array, index: number): void {
    const [had, has] = [before, now].map(({ buffer, byteOffset, byteLength }) => {
      return new DataView(buffer, byteOffset, byteLength);
    });
    for (let at = 0; at < Math.min(before.length, now.length); at += fieldHashBytes) {
      if (had?.getUint32(at, true) === 0 || has?.getUint32(at, true) !== 0) continue;
      const slot = at / fieldHashBytes;
      const found = this.#found.get(slot);
      if (found === undefined) this.#found.set(slot, { slot, keys: 1, first: index });
      else found.keys += 1;
    }
  }

  all(): readonly LostField[] {
    return [...this.#found.values()];
  }
}

/**
 * Keeps the hashes of a record's fields under the number that they had before; answers it, and notes which
 * fields are gone. They are in a table of their own, which a first load only appends to: beside the keys they
 * doubled the pages that it writes in random order, and the CPU that they cost.
 */
export function createFieldKeeper(
  db: Database,
): (
  at: { readonly known: unknown; readonly index: number; readonly lost: FieldLosses | undefined },
  fields: FieldHashes | undefined,
) => number | null {
  const select = db.prepare("select hashes from field_hashes where id = ?");
  const insert = db.prepare("insert into field_hashes (hashes) values (?)");
  const update = db.prepare("update field_hashes set hashes = ? where id = ?");
  return ({ known, index, lost }, fields) => {
    const { fieldBytes = 0, hashes } = fields ?? {};
    const block = hashes?.subarray(index * fieldBytes, (index + 1) * fieldBytes) ?? null;
    if (typeof known !== "number") {
      return block === null ? null : Number(insert.run(block).lastInsertRowid);
    }
    const before = lost === undefined ? undefined : select.get(known)?.["hashes"];
    if (before instanceof Uint8Array && block !== null) lost?.compare(before, block, index);
    update.run(block, known);
    return known;
  };
}
