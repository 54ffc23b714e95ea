import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";

import { describe, expect, it, onTestFinished } from "vitest";

import * as errors from "../../src/errors.ts";
import { SluiceError, type ErrorFacts } from "../../src/errors.ts";
import {
  answerAtOnce,
  answerCall,
  createCalls,
  type MethodCall,
  packError,
  threadFile,
  unpackError,
  type ThreadCall,
} from "../../src/thread.ts";

const facts = { hint: "what to do", field: "where", cause: new Error("a socket") } as const;

/** One error of every class. */
const samples: readonly SluiceError[] = [
  new errors.RetryLater("m", { ...facts, afterMs: 5_000 }),
  new errors.RateLimitedError("m", { ...facts, retryAfterMs: 1_234 }),
  new errors.ApiRejectedError("m", { ...facts, refused: [{ index: 3, field: "domain" }] }),
  ...[
    errors.ApiUnavailableError,
    errors.StagingError,
    errors.StateUnavailableError,
    errors.OutcomeUnknownError,
    errors.CreditsExhaustedError,
    errors.TooLargeError,
    errors.UploadGoneError,
    errors.SourceChangedError,
    errors.ApiAuthError,
    errors.SourceAuthError,
    errors.ApiContractError,
    errors.ConfigError,
    errors.StagedFileMissingError,
    errors.SupersededError,
    errors.StagingFullError,
    errors.WrongStoreError,
    errors.ConfigChangedError,
    errors.ServiceFailsError,
    errors.CheckpointMovedError,
    errors.TooManyRejectsError,
    errors.TooFewRowsError,
    errors.NotBalancedError,
    errors.BusyError,
    errors.LockWaitError,
    errors.RunEndedError,
    errors.TemporalUnreachableError,
  ].map((ErrorClass: new (message: string, facts: ErrorFacts) => SluiceError) => {
    return new ErrorClass("m", facts);
  }),
];

/** The error as received from another thread. */
function across(error: unknown): Error {
  return unpackError(structuredClone(packError(error)));
}

function fieldsOf(error: Error): Record<string, unknown> {
  return Object.fromEntries(Object.entries(error).filter(([name]) => name !== "cause"));
}

describe("packError and unpackError", () => {
  it("know every class of errors.ts", () => {
    const classes = Object.values(errors)
      .map((value: unknown) => value)
      .filter((value) => typeof value === "function" && value.prototype instanceof SluiceError)
      .filter((value) => value !== errors.TransientError); // abstract
    expect(new Set(samples.map(({ constructor }) => constructor))).toEqual(new Set(classes));
  });

  it.each(samples.map((error) => ({ name: error.name, error })))(
    "keep class, fields and stack of $name, and leave its cause behind",
    ({ error }) => {
      const copy = across(error);
      expect(copy).toBeInstanceOf(SluiceError);
      expect(copy.constructor).toBe(error.constructor);
      expect(fieldsOf(copy)).toEqual(fieldsOf(error));
      expect(copy.message).toBe(error.message);
      expect(copy.stack).toBe(error.stack);
      expect(copy.cause).toBeUndefined();
    },
  );

  it("keep name and message of any other error, and nothing that was put on it", () => {
    const copy = across(Object.assign(new TypeError("not a function"), { row: "a customer" }));
    expect(copy).toMatchObject({ name: "TypeError", message: "not a function" });
    expect(copy).not.toBeInstanceOf(SluiceError);
    expect(copy).not.toHaveProperty("row");
  });

  it.each([
    ["a text", "a text"],
    [7, "7"],
    [undefined, "undefined"],
  ])("make an error of %o, which is none", (thrown, message) => {
    expect(across(thrown)).toMatchObject({ name: "Error", message });
  });
});

describe("threadFile", () => {
  it("is beside its caller, as source or built", () => {
    const source = threadFile("thread", "file:///p/src/state/sqlite/open.ts");
    expect(source.href).toBe("file:///p/src/state/sqlite/thread.ts");
    const built = threadFile("thread", "file:///p/dist/src/state/sqlite.js");
    expect(built.href).toBe("file:///p/dist/src/state/thread.js");
  });
});

describe("createCalls and answerCall", () => {
  const methods = {
    sum: (one: number, other: number): number => one + other,
    refuse: (): never => {
      throw new errors.BusyError("held");
    },
  };

  function open(): {
    readonly call: (call: MethodCall) => Promise<unknown>;
    readonly end: () => void;
  } {
    const { port1, port2 } = new MessageChannel();
    port1.on("message", (call: ThreadCall) => port1.postMessage(answerCall(call, methods)));
    onTestFinished(() => port1.close());
    const call = createCalls(port2, () => new errors.StateUnavailableError("closed"));
    return { call, end: () => port2.close() };
  }

  it("answer each call with what its method returned or threw", async () => {
    const { call } = open();
    const answers = await Promise.allSettled([
      call({ method: "sum", input: [1, 2] }),
      call({ method: "refuse", input: [] }),
      call({ method: "none", input: [] }),
      call({ method: "sum", input: [3, 4] }),
    ]);
    expect(answers).toMatchObject([
      { value: 3 },
      { reason: new errors.BusyError("held") },
      { reason: new Error("no method none") },
      { value: 7 },
    ]);
  });

  it("give each caller its own answer, whichever comes first", async () => {
    const { port1, port2 } = new MessageChannel();
    const slow = { first: async () => await delay(20, "first"), second: async () => "second" };
    const answer = answerAtOnce(slow, (error) => error);
    port1.on("message", (call: ThreadCall) => {
      void answer(call).then((answered) => port1.postMessage(answered));
    });
    onTestFinished(() => port1.close());
    const call = createCalls(port2, () => new errors.StateUnavailableError("closed"));
    const ended: unknown[] = [];
    const ask = async (method: string): Promise<void> => {
      ended.push([method, await call({ method, input: [] })]);
    };
    await Promise.all([ask("first"), ask("second")]);
    expect(ended).toEqual([
      ["second", "second"],
      ["first", "first"],
    ]);
  });

  it("refuse input that cannot cross, and answer the next call", async () => {
    const { call } = open();
    await expect(call({ method: "sum", input: [() => 1] })).rejects.toThrow("could not be cloned");
    expect(await call({ method: "sum", input: [1, 2] })).toBe(3);
  });

  it("reject what has no answer once the port is closed, and what comes later", async () => {
    const { call, end } = open();
    const waiting = call({ method: "sum", input: [1, 2] });
    end();
    await expect(waiting).rejects.toThrow(errors.StateUnavailableError);
    await expect(call({ method: "sum", input: [1, 2] })).rejects.toThrow("closed");
  });
});
