import type { WrittenPage } from "../../pipeline/chunk.ts";
import { isBeyondLimit, type RejectLimit, type RejectsSoFar } from "../../pipeline/rejects.ts";
import type { StageCounts } from "../../state/contract/sends/stagings.ts";

/** Rejects of one code, and where the first of them is. */
export type PlannedRejects = { readonly rows: number; readonly first: string };

/** The rejects that a plan meets, held against the limit of its sync after each page, as a run does. */
export class RejectsToCome {
  readonly byCode = new Map<string, PlannedRejects>();
  /** Where they were more than the limit allows; undefined if they never were. */
  tooMany: RejectsSoFar | undefined;
  readonly #limit: RejectLimit | undefined;
  #before: RejectsSoFar = { rejected: 0, read: 0 };

  /** @param limit undefined where no number of rejects stops a run. */
  constructor(limit: RejectLimit | undefined) {
    this.#limit = limit;
  }

  #with({ rejected, read }: StageCounts): RejectsSoFar {
    return { rejected: this.#before.rejected + rejected, read: this.#before.read + read };
  }

  /** Notes a page of a chunk, with the counts of the chunk up to its end. */
  note({ page, counts }: Pick<WrittenPage, "counts" | "page">): void {
    for (const { code, place } of page.rejects) {
      const { rows, first } = this.byCode.get(code) ?? { rows: 0, first: place };
      this.byCode.set(code, { rows: rows + 1, first });
    }
    const soFar = this.#with(counts);
    if (this.#limit !== undefined && isBeyondLimit(this.#limit, soFar)) this.tooMany ??= soFar;
  }

  endChunk(counts: StageCounts): void {
    this.#before = this.#with(counts);
  }
}
