import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";

import { TerminatedFailure, WorkflowFailedError } from "@temporalio/client";
import { RetryState } from "@temporalio/common";
import { expect, it } from "vitest";
import { z } from "zod";

import { followRun } from "../../../../src/cli/running/follow.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { StateUnavailableError } from "../../../../src/errors.ts";
import type { RunReport } from "../../../../src/report/report.ts";
import { noCounts, type Progress } from "../../../../workflows/sync/progress.ts";
import { until } from "../../../support/process/process.ts";
import { reportWith } from "../../../support/project/report.ts";

const context = { environment: readEnvironment({}), say: () => undefined };
const terminated = new WorkflowFailedError(
  "terminated",
  new TerminatedFailure("reset"),
  RetryState.NON_RETRYABLE_FAILURE,
);
const share = async (): Promise<undefined> => undefined;

/** The newest execution of a workflow. */
type Newest = ReturnType<Parameters<typeof followRun>[0]["client"]["getHandle"]>;

/** A run that answers nothing; the test sets its `result`. */
class UnansweredRun {
  readonly handle: Parameters<typeof followRun>[0];
  /** Resolves once it is asked. */
  readonly asked: Promise<void>;
  /** Resolves once the call is aborted. */
  readonly givenUp: Promise<void>;
  readonly #signals = new AsyncLocalStorage<AbortSignal>();

  constructor(result?: () => Promise<RunReport>, newest?: Newest) {
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
      workflowId: "wf-1",
      client: {
        withAbortSignal: async (signal, work) => await this.#signals.run(signal, work),
        getHandle: () => newest ?? { ...this.handle, describe: unanswered },
      },
    };
  }

  /** Like Temporal's client: a call ends early only by the signal that it is made under. */
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

it("says that a workflow is paused, which answers nothing meanwhile, and not that no worker answers", async () => {
  const said: string[] = [];
  const ended = Promise.withResolvers<RunReport>();
  let asked = 0;
  const { handle } = new UnansweredRun(async () => await ended.promise);
  const query = async (): Promise<never> => {
    asked++;
    throw new Error("workflow is paused");
  };
  const followed = followRun(
    { ...handle, query, describe: async () => ({ raw: {}, status: { name: "PAUSED" } }) },
    {
      context: { ...context, say: (text) => void said.push(text) },
      share,
      silentMs: 0,
      signal: new AbortController().signal,
    },
  );
  await until(async () => asked > 2);
  ended.reject(new Error("ended"));
  await followed;
  expect(said).toEqual([expect.stringContaining("somebody paused the workflow in Temporal")]);
});

const inMode: Progress = {
  run_id: "run-1",
  sync: "accounts",
  mode: "lightweight",
  mode_reason: "10 records need 1 body of 1 MB, 1 allowed",
  counts: noCounts,
  waiting: null,
  report: null,
};

async function undescribed(): Promise<never> {
  return await Promise.reject(new Error("nothing is tried again"));
}

/** The messages about a run that has chosen its mode. */
async function toldOf(isSent: boolean): Promise<string[]> {
  const said: string[] = [];
  const ended = Promise.withResolvers<RunReport>();
  let asked = 0;
  const query = async <Answer>(): Promise<Answer> => {
    const waiting = ++asked === 1 ? null : "waiting for credits";
    return await Promise.resolve(z.custom<Answer>().parse({ ...inMode, waiting }));
  };
  const { handle } = new UnansweredRun(async () => await ended.promise);
  const say = (text: string): void => void said.push(text);
  const followed = followRun(
    { ...handle, query, describe: undescribed },
    { context: { ...context, say }, share, isSent, signal: new AbortController().signal },
  );
  await until(async () => said.includes("waiting for credits"));
  ended.reject(new Error("ended"));
  await followed;
  return said;
}

it("tells how the records of a run travel, and not of one that sends nothing", async () => {
  const mode = "lightweight: 10 records need 1 body of 1 MB, 1 allowed";
  expect(await toldOf(true)).toEqual([mode, "waiting for credits"]);
  expect(await toldOf(false)).toEqual(["waiting for credits"]);
});

it("never goes back by the rows of a chunk that is staged, and that its workflow has not heard of", async () => {
  const said: string[] = [];
  const ended = Promise.withResolvers<RunReport>();
  const none = { read: 0, records: 0, unchanged: 0, filtered: 0, rejected: 0 };
  const counts = { ...noCounts, read: 10, sent: 10, staged_chunks: 1, committed_chunks: 1 };
  let asked = 0;
  const query = async <Answer>(): Promise<Answer> => {
    // Asked for the third time, the workflow knows its second chunk.
    const told = ++asked < 3 ? counts : { ...counts, read: 100, sent: 40, staged_chunks: 2 };
    return await Promise.resolve(z.custom<Answer>().parse({ ...inMode, counts: told }));
  };
  const { handle } = new UnansweredRun(async () => await ended.promise);
  const shares: (number | undefined)[] = [];
  const followed = followRun(
    { ...handle, query, describe: undescribed },
    {
      context: { ...context, say: (text) => void said.push(text) },
      ahead: async () => (asked === 1 ? { ...none, read: 90 } : none),
      share: async ({ counts: { read } }) => {
        shares.push(read);
        return undefined;
      },
      signal: new AbortController().signal,
    },
  );
  await until(async () => said.at(-1)?.includes("40 sent") === true);
  ended.reject(new Error("ended"));
  await followed;
  expect(said.slice(1)).toEqual([
    "100 rows read, 10 sent, 1 chunk committed",
    "100 rows read, 40 sent, 1 chunk committed",
  ]);
  expect(shares).toEqual([100, 100, 100]);
});

it("goes on where the store cannot be read for a moment, and shows what the workflow says", async () => {
  const said: string[] = [];
  const ended = Promise.withResolvers<RunReport>();
  let asked = 0;
  const query = async <Answer>(): Promise<Answer> => {
    asked++;
    const counts = { ...noCounts, read: 10 * asked, committed_chunks: 1 };
    return await Promise.resolve(z.custom<Answer>().parse({ ...inMode, counts }));
  };
  const { handle } = new UnansweredRun(async () => await ended.promise);
  const followed = followRun(
    { ...handle, query, describe: undescribed },
    {
      context: { ...context, say: (text) => void said.push(text) },
      ahead: async () => {
        if (asked === 2) throw new StateUnavailableError("the database restarts");
        return { read: 5, records: 0, unchanged: 0, filtered: 0, rejected: 0 };
      },
      share,
      signal: new AbortController().signal,
    },
  );
  await Promise.race([followed, until(async () => said.at(-1)?.startsWith("35 rows") === true)]);
  ended.reject(new Error("ended"));
  expect(await followed).toEqual({ error: new Error("ended") });
  expect(said.slice(1).map((text) => text.split(" rows")[0])).toEqual(["15", "20", "35"]);
});

it.each([
  ["goes on with a run that was reset", "RUNNING", { report: reportWith({}) }],
  ["says of a run that was terminated that it was", "TERMINATED", { error: terminated }],
])("%s", async (_, name, end) => {
  const describe = async (): Promise<{ status: { name: string } }> => ({ status: { name } });
  const { handle } = new UnansweredRun(async () => await Promise.reject(terminated));
  const newest = { ...handle, describe, result: async () => reportWith({}) };
  const run = new UnansweredRun(async () => await Promise.reject(terminated), newest);
  const { signal } = new AbortController();
  expect(await followRun(run.handle, { context, share, signal })).toEqual(end);
});
