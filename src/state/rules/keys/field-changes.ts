import { type FieldChange, verdict } from "../../contract/keys/fingerprints.ts";
import { fieldHashBytes } from "../../contract/keys/known-records.ts";

/** Whether a record of this verdict differs from one that the service is known to hold. */
export function isChange(judged: number | undefined): boolean {
  return judged === verdict.changed || judged === verdict.remapped;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

type Counted = FieldChange & { changed: number; lost: number; firstLost: number };

/** Collects the fields in which records differ from what was known of their keys. */
export class FieldChanges {
  readonly #found: Counted[] = [];

  /** Compares the fields of a record with those that its key had; a hash of 0 means that the field is absent. */
  compare(
    before: Uint8Array,
    now: Uint8Array,
    { index, isChanged }: { readonly index: number; readonly isChanged: boolean },
  ): void {
    const [had, has] = [viewOf(before), viewOf(now)];
    for (let at = 0; at < now.length; at += fieldHashBytes) {
      // Newer fields have later slots.
      const old = at < before.length ? had.getUint32(at, true) : 0;
      const is = has.getUint32(at, true);
      const isLost = is === 0 && old !== 0;
      if (is === old || !(isChanged || isLost)) continue;
      const found = this.#of(at / fieldHashBytes, index);
      if (isChanged) found.changed += 1;
      if (isLost) {
        if (found.lost === 0) found.firstLost = index;
        found.lost += 1;
      }
    }
  }

  #of(slot: number, index: number): Counted {
    return (this.#found[slot] ??= { slot, changed: 0, lost: 0, firstLost: index });
  }

  /** All changes, in slot order. */
  all(): readonly FieldChange[] {
    return Object.values(this.#found);
  }
}
