import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";

import { expect, it } from "vitest";

import { followRun } from "../../../../src/cli/running/follow.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";

it("stops following at once where no worker answers what it asks", async () => {
  const signals = new AsyncLocalStorage<AbortSignal>();
  const asked = Promise.withResolvers<void>();
  /** As Temporal's client: a call ends early only by the signal that it is made under. */
  const unanswered = async (): Promise<never> => {
    const signal = signals.getStore();
    if (signal?.aborted === false) await once(signal, "abort");
    else if (signal === undefined) await new Promise<never>(() => undefined);
    throw new Error("aborted");
  };
  const handle: Parameters<typeof followRun>[0] = {
    describe: unanswered,
    result: unanswered,
    query: async () => {
      asked.resolve();
      return await unanswered();
    },
    client: { withAbortSignal: async (signal, work) => await signals.run(signal, work) },
  };
  const interrupted = new AbortController();
  const context = { environment: readEnvironment({}), say: () => undefined };
  const { signal } = interrupted;
  const followed = followRun(handle, { context, share: async () => undefined, signal });
  await asked.promise;
  interrupted.abort();
  expect(await followed).toBeUndefined();
});
