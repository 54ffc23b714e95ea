import type { LostField } from "../../contract/keys/fingerprints.ts";
import { fieldHashBytes } from "../../contract/keys/known-records.ts";

/** The fields that keys lost, as they are found. */
export class FieldChanges {
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
