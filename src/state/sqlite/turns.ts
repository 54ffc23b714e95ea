import { setImmediate } from "node:timers/promises";

import { answerAtOnce, type Answering } from "../../thread.ts";

/** Turns on one connection, which can hold one transaction: who has come waits until all before have passed theirs. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #pass: () => void = () => undefined;

  /** Answers once it is the caller's turn, which lasts until `pass` or `giveWay`. */
  async take(): Promise<void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    this.#pass = resolve;
  }

  /** Ends the turn that somebody has. */
  pass(): void {
    this.#pass();
  }

  /** Lets all who have come meanwhile have their turn, also those whose message has not been read yet. */
  async giveWay(): Promise<void> {
    this.pass();
    await setImmediate();
    await this.take();
  }
}

/** Makes the same as `answerAtOnce`, but each call is begun only once it is its turn. */
export function answerInTurn(
  methods: object,
  asFault: (error: unknown) => unknown,
  turns: Turns,
): Answering {
  const answer = answerAtOnce(methods, asFault);
  return async (call) => {
    await turns.take();
    try {
      return await answer(call);
    } finally {
      turns.pass();
    }
  };
}
