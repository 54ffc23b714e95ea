import { setImmediate } from "node:timers/promises";

import { answerAtOnce, type Answering } from "../../thread.ts";

/** Turns on one connection, which can hold one transaction: a caller waits until all before it have passed theirs. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #pass: () => void = () => undefined;

  /** Resolves once it is the caller's turn, which lasts until `pass` or `giveWay`. */
  async take(): Promise<void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    this.#pass = resolve;
  }

  /** Ends the current turn. */
  pass(): void {
    this.#pass();
  }

  /** Lets all callers that came meanwhile have their turn, also those whose message has not been read yet. */
  async giveWay(): Promise<void> {
    this.pass();
    await setImmediate();
    await this.take();
  }
}

/** As `answerAtOnce`, but each call begins only when it is its turn. */
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
