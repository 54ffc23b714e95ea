import { randomBytes } from "node:crypto";

import { isSent, type KeysToStage, verdict } from "../../state/contract/keys/fingerprints.ts";
import { createKeyHashes } from "../../state/rules/keys/key-hashes.ts";
import { StagedIndex, wordsOf } from "../../state/rules/keys/staged-index.ts";
import type { StateClient } from "../../state/state-store.ts";

const secretBytes = 16;

/**
 * Judges the keys of a plan as a run that stages them would, but writes nothing. What a run would know by its own
 * stagings is remembered here, in about 70 bytes for each record.
 */
export class PlannedKeys {
  readonly #state: Pick<StateClient, "judgeKeys"> | undefined;
  readonly #hashesOf = createKeyHashes(randomBytes(secretBytes));
  /** Whether each key that was seen is sent, as 1 or 0. */
  readonly #before = new StagedIndex();
  /** The verdicts on the records that are sent, in order. */
  readonly #sent: number[] = [];
  #last: Promise<unknown> = Promise.resolve();

  /** Without a store, everything is new. */
  constructor(state: Pick<StateClient, "judgeKeys"> | undefined) {
    this.#state = state;
  }

  /** Like the store's method of this name. */
  readonly stageKeys: StateClient["stageKeys"] = async (input) => {
    const turn = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      // A store with several connections may answer a later call first.
      await turn;
      const verdicts = await this.#judge(input);
      return { verdicts, leaving: new Int32Array(0) };
    } finally {
      resolve();
    }
  };

  /** The verdict on the next record that is sent, in the order in which they were judged. */
  nextSent(): number | undefined {
    return this.#sent.shift();
  }

  async #judge(input: KeysToStage): Promise<Uint8Array> {
    const verdicts =
      (await this.#state?.judgeKeys(input)) ?? new Uint8Array(input.keys.ends.length);
    const words = wordsOf(this.#hashesOf(0, input.keys));
    for (const [index, alone] of verdicts.entries()) {
      const entry = this.#before.find(words, index);
      const wasSent = entry !== -1 && this.#before.sendAt(entry) === 1;
      const isSecond = entry !== -1 && input.rejectDuplicates;
      const judged = isSecond ? verdict.duplicate : wasSent ? verdict.again : alone;
      verdicts[index] = judged;
      if (isSent(judged)) this.#sent.push(judged);
      if (isSecond || !(isSent(judged) || input.rejectDuplicates)) continue;
      this.#before.set(words, index, { id: 0, send: isSent(judged) ? 1 : 0 });
    }
    return verdicts;
  }
}
