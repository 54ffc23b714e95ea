import { isSent, verdict } from "../state/contract/keys/fingerprints.ts";
import {
  type ChangeExample,
  type Changes,
  exampleKinds,
  examplesMax,
  firstExamples,
} from "../state/contract/sends/changes.ts";
import type { StageName } from "../state/contract/sends/stagings.ts";

/** The staging whose examples are named. */
type ExamplesOf = Pick<StageName, "chunk" | "stage"> & {
  /** Whether the places of rows are lines of files: others may be keys, which are not kept beside the counts. */
  readonly tellsPlaces: boolean;
};

/** The kind of example that a verdict gives. */
function kindOf(one: number | undefined): ChangeExample["kind"] | undefined {
  if (one === verdict.remapped) return "changed";
  return exampleKinds.find((kind) => verdict[kind] === one);
}

/** Counts why the records of a chunk are sent, and names the first of each kind. */
export class ChangeCounts {
  /** Records by verdict. */
  readonly #verdicts = new Uint32Array(Object.keys(verdict).length);
  readonly #fields = new Map<string, number>();
  readonly #of: ExamplesOf | undefined;
  readonly #examples: ChangeExample[] = [];
  #sent = 0;

  /** Without `of`, it names no examples. */
  constructor(of?: ExamplesOf) {
    this.#of = of;
  }

  /** `placeOf` returns the place of a record's row, by the record's index among those of `verdicts` that are sent. */
  add(verdicts: Uint8Array, placeOf?: (sent: number) => string): void {
    let sent = 0;
    for (const one of verdicts) {
      this.#verdicts[one] = this.#count(one) + 1;
      if (!isSent(one)) continue;
      if (this.#count(one) <= examplesMax) this.#addExample(one, sent, placeOf);
      sent += 1;
    }
    this.#sent += sent;
  }

  /** Adds records that are sent again, and so are not judged. */
  addAgain(records: number): void {
    this.#verdicts[verdict.again] = this.#count(verdict.again) + records;
    this.#sent += records;
  }

  addField(field: string, records: number): void {
    if (records > 0) this.#fields.set(field, (this.#fields.get(field) ?? 0) + records);
  }

  #addExample(one: number, sent: number, placeOf?: (sent: number) => string): void {
    const kind = kindOf(one);
    if (this.#of === undefined || kind === undefined) return;
    const { chunk, stage, tellsPlaces } = this.#of;
    const place = tellsPlaces ? (placeOf?.(sent) ?? null) : null;
    this.#examples.push({ kind, chunk, stage, record: this.#sent + sent, place });
  }

  #count(one: number): number {
    return this.#verdicts[one] ?? 0;
  }

  all(): Changes {
    const remapped = this.#count(verdict.remapped);
    return {
      new: this.#count(verdict.new),
      changed: this.#count(verdict.changed) + remapped,
      remapped,
      unknown: this.#count(verdict.unknown),
      again: this.#count(verdict.again),
      fields: Object.fromEntries(this.#fields),
      ...(this.#examples.length === 0 ? {} : { examples: firstExamples(this.#examples) }),
    };
  }
}
