import type { MessagePort } from "node:worker_threads";

import * as errors from "./errors.ts";
import { messageOf, SluiceError } from "./errors.ts";

/**
 * An error as it crosses from one thread to another; structured cloning would keep neither its class nor its fields.
 */
export type PackedError = {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** Name of each class of src/errors.ts -> its prototype. */
const prototypes: ReadonlyMap<string, unknown> = new Map(
  Object.entries(errors).map(([name, value]) => [name, Reflect.get(value, "prototype")]),
);

/** The URL of the entry file of a thread or process beside `from`: `.ts` when run from source, `.js` when built. */
export function threadFile(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith(".ts") ? ".ts" : ".js"}`, from);
}

/** Makes an error fit for `postMessage`. */
export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) {
    return { name: "Error", message: messageOf(error), stack: undefined, fields: {} };
  }
  const { name, message, stack } = error;
  const fields = error instanceof SluiceError ? plainFields(error) : {};
  return { name, message, stack, fields };
}

function plainFields(error: SluiceError): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(error).filter(([field]) => field !== "cause" && field !== "name"),
  );
}

/** The error that `packError` was given; of the same class if it is one of ours. */
export function unpackError({ name, message, stack, fields }: PackedError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  const prototype = prototypes.get(name);
  if (typeof prototype === "object") Object.setPrototypeOf(error, prototype);
  return Object.assign(error, fields, { name });
}

/** A call as its caller makes it. */
export type MethodCall = { readonly method: string; readonly input: readonly unknown[] };

/** A call as it crosses to a thread; its answer has the same number. */
export type ThreadCall = MethodCall & { readonly number: number };

/** Its answer; `result` is what the method returned. */
type Answer = {
  readonly number: number;
  readonly result: unknown;
  readonly error: PackedError | undefined;
};

/** A MessagePort, or a Worker, which is the port to the thread that it started. */
type Port = Pick<MessagePort, "postMessage" | "ref" | "unref"> & {
  on(event: string, listener: (answer: Answer) => void): unknown;
};

/** Methods as a caller in another thread sees them. */
export type Remote<Methods extends Record<keyof Methods, (...input: never) => unknown>> = {
  readonly [Name in keyof Methods]: (
    ...input: Parameters<Methods[Name]>
  ) => Promise<ReturnType<Methods[Name]>>;
};

/** Answers a call with one of `methods`, all of which are synchronous. */
export function answerCall({ number, method, input }: ThreadCall, methods: object): Answer {
  try {
    return { number, result: methodOf(methods, method)(...input), error: undefined };
  } catch (error) {
    return { number, result: undefined, error: packError(error) };
  }
}

function methodOf(methods: object, name: string): (...input: readonly unknown[]) => unknown {
  const called: unknown = Reflect.get(methods, name);
  if (typeof called !== "function") throw new Error(`no method ${name}`);
  return (...input): unknown => Reflect.apply(called, undefined, input);
}

/** Answers calls that a thread receives. */
export type Answering = (call: ThreadCall) => Promise<Answer>;

/** Like `answerCall` for asynchronous methods, as calls come; `asFault` makes the error that the caller gets. */
export function answerAtOnce(methods: object, asFault: (error: unknown) => unknown): Answering {
  return async ({ number, method, input }) => {
    try {
      return { number, result: await methodOf(methods, method)(...input), error: undefined };
    } catch (error) {
      return { number, result: undefined, error: packError(asFault(error)) };
    }
  };
}

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Makes calls over a port, whichever order they are answered in; it keeps its thread alive only while a call is under
 * way. Memory that is handed over is not copied, and no longer belongs to the caller. `gone` makes the error for calls
 * that the end of the port leaves without an answer, and for all later ones.
 */
export function createCalls(
  port: Port,
  gone: (cause: unknown) => Error,
): (call: MethodCall, handedOver?: readonly ArrayBuffer[]) => Promise<unknown> {
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let ended: Error | undefined;
  port.on("message", ({ number, result, error }: Answer) => {
    const call = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) port.unref();
    if (error === undefined) call?.resolve(result);
    else call?.reject(unpackError(error));
  });
  const end = (cause?: unknown): void => {
    ended ??= gone(cause);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  port.on("error", end);
  port.on("close", () => end());
  port.on("exit", () => end());
  port.unref();
  return async (call, handedOver = []) =>
    await new Promise((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      // Posted first, because this throws for a value that cannot cross: then no answer comes.
      const number = (calls += 1);
      port.postMessage({ ...call, number } satisfies ThreadCall, handedOver);
      waiting.set(number, { resolve, reject });
      port.ref();
    });
}
