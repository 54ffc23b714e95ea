import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";

import { expect, it } from "vitest";

import { followRun } from "../../../../src/cli/running/follow.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import type { RunReport } from "../../../../src/report/report.ts";

const context = { environment: readEnvironment({}), say: () => undefined };
const share = async (): Promise<undefined> => undefined;

/** A run that answers nothing; its `result` is what the test says. */
class UnansweredRun {
  readonly handle: Parameters<typeof followRun>[0];
  /** Resolves once it is asked. */
  readonly asked: Promise<void>;
  /** Resolves once what was asked is given up. */
  readonly givenUp: Promise<void>;
  readonly #signals = new AsyncLocalStorage<AbortSignal>();

  constructor(result?: () => Promise<RunReport>) {
    const asked = Promise.withResolvers<void>();
    const givenUp = Promise.withResolvers<void>();
    this.asked = asked.promise;
    this.givenUp = givenUp.promise;
    const unanswered = async (): Promise<never> => await this.#unanswered();
    this.handle = {
      describe: unanswered,
      result: result ?? unanswered,
      query: async () => {
        asked.resolve();
        return await unanswered().finally(givenUp.resolve);
      },
      client: { withAbortSignal: async (signal, work) => await this.#signals.run(signal, work) },
    };
  }

  /** As Temporal's client: a call ends early only by the signal that it is made under. */
  async #unanswered(): Promise<never> {
    const signal = this.#signals.getStore();
    if (signal?.aborted === false) await once(signal, "abort");
    else if (signal === undefined) await new Promise<never>(() => undefined);
    throw new Error("aborted");
  }
}

it("stops following at once where no worker answers what it asks", async () => {
  const { handle, asked, givenUp } = new UnansweredRun();
  const interrupted = new AbortController();
  const followed = followRun(handle, { context, share, signal: interrupted.signal });
  await asked;
  interrupted.abort();
  expect(await followed).toBeUndefined();
  await givenUp;
});

it("ends with the run, and gives up what it has asked and nobody answered", async () => {
  const report = Promise.withResolvers<RunReport>();
  const { handle, asked, givenUp } = new UnansweredRun(async () => await report.promise);
  const followed = followRun(handle, { context, share, signal: new AbortController().signal });
  await asked;
  report.reject(new Error("the run ended so"));
  expect(await followed).toEqual({ error: new Error("the run ended so") });
  await givenUp;
});

it("says that no worker answers, once, and follows on", async () => {
  const said: string[] = [];
  const thrice = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<RunReport>();
  let asked = 0;
  const { handle } = new UnansweredRun(async () => await ended.promise);
  const query = async (): Promise<never> => {
    if (++asked === 5) thrice.resolve();
    throw new Error("no poller seen");
  };
  const describe = async (): Promise<never> => await query();
  const followed = followRun(
    { ...handle, query, describe },
    {
      context: { ...context, say: (text) => void said.push(text) },
      share,
      silentMs: 0,
      signal: new AbortController().signal,
    },
  );
  await thrice.promise;
  ended.reject(new Error("terminated"));
  expect(await followed).toEqual({ error: new Error("terminated") });
  expect(said).toEqual([expect.stringContaining("no worker answers")]);
});
