import { RetryLater } from "../../src/errors.ts";

/** Why a source gave no more pages for a while, and how long it asked for. */
export type Later = {
  readonly message: string;
  readonly hint: string | undefined;
  readonly afterMs: number | undefined;
};

/**
 * Until when the sources of runs asked to be left alone, where a chunk ended for that. Kept in this process only:
 * another one makes a request too early, and gets the time again.
 */
export class Patience {
  readonly #asked = new Map<string, { readonly later: Later; readonly untilMs: number }>();

  note(runId: string, later: Later): void {
    const now = performance.now();
    for (const [id, { untilMs }] of this.#asked) if (untilMs <= now) this.#asked.delete(id);
    if (later.afterMs !== undefined) {
      this.#asked.set(runId, { later, untilMs: now + later.afterMs });
    }
  }

  /** @throws {RetryLater} the source of the run asked for more time than has passed. */
  assertOver(runId: string): void {
    const { later, untilMs = 0 } = this.#asked.get(runId) ?? {};
    const afterMs = untilMs - performance.now();
    if (later === undefined || afterMs <= 0) return;
    throw new RetryLater(later.message, { hint: later.hint, afterMs });
  }
}
