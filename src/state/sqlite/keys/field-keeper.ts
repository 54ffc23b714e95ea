import type { FingerprintStore, LostField } from "../../contract/keys/fingerprints.ts";
import { fieldHashBytes } from "../../contract/keys/known-records.ts";
import { superseded } from "../../store/sends/stagings.ts";
import type { Database } from "../database.ts";
import { isStagingIn } from "../open-stagings.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { keysPerTransactionMax } from "./steps.ts";

/** The fields that keys lost, as they are found. */
class FieldLosses {
  readonly #found = new Map<number, LostField & { keys: number }>();

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

/** Ids of one set: the fields of another set begin behind them. */
const idsPerSet = 2 ** 32;

/** The number in `field_hashes` of a fingerprint `f`. */
export const fieldsIdSql = `f.set_id * ${idsPerSet} + f.id`;

/**
 * Keeps the hashes of records' fields under the ids of their fingerprints, and notes which fields are gone.
 * They are in a table of their own, which a first load only appends to: beside the keys they doubled the
 * pages that it writes in random order, and the CPU that they cost.
 */
export function createFieldKeeper(db: Database): FingerprintStore["keepFields"] {
  const sets = createFingerprintSets(db);
  const isStaging = isStagingIn(db);
  const select = db.prepare("select hashes from field_hashes where id = ?");
  const put = db.prepare("insert or replace into field_hashes (id, hashes) values (?, ?)");
  return (input) => {
    const { ids, fieldBytes, hashes } = input;
    const losses = new FieldLosses();
    const keepOne = (setId: number, index: number): void => {
      const id = ids[index] ?? 0;
      const at = setId * idsPerSet + Math.abs(id);
      const block = hashes.subarray(index * fieldBytes, (index + 1) * fieldBytes);
      const before = id > 0 ? select.get(at)?.["hashes"] : undefined;
      if (before instanceof Uint8Array) losses.compare(before, block, index);
      put.run(at, block);
    };
    for (let start = 0; start < ids.length; start += keysPerTransactionMax) {
      const end = Math.min(start + keysPerTransactionMax, ids.length);
      db.write(() => {
        if (!isStaging(input)) throw superseded(input);
        const setId = sets.idOf(input);
        for (let index = start; index < end; index += 1) keepOne(setId, index);
      });
    }
    return losses.all();
  };
}
