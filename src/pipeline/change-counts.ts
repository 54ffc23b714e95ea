import { verdict } from "../state/contract/keys/fingerprints.ts";
import type { Changes } from "../state/contract/sends/changes.ts";

/** Counts why the records of a chunk are sent. */
export class ChangeCounts {
  /** By verdict. */
  readonly #verdicts = new Uint32Array(Object.keys(verdict).length);
  readonly #fields = new Map<string, number>();

  add(verdicts: Uint8Array): void {
    for (const one of verdicts) this.#verdicts[one] = (this.#verdicts[one] ?? 0) + 1;
  }

  /** Adds records that nobody judges, because they are sent once more. */
  addAgain(records: number): void {
    this.#verdicts[verdict.again] = this.#of(verdict.again) + records;
  }

  addField(field: string, records: number): void {
    if (records > 0) this.#fields.set(field, (this.#fields.get(field) ?? 0) + records);
  }

  #of(one: number): number {
    return this.#verdicts[one] ?? 0;
  }

  all(): Changes {
    const remapped = this.#of(verdict.remapped);
    return {
      new: this.#of(verdict.new),
      changed: this.#of(verdict.changed) + remapped,
      remapped,
      unknown: this.#of(verdict.unknown),
      again: this.#of(verdict.again),
      fields: Object.fromEntries(this.#fields),
    };
  }
}
