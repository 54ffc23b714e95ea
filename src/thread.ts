import * as errors from "./errors.ts";
import { messageOf, SluiceError } from "./errors.ts";

/** An error as it crosses from one thread to another; structured cloning would keep neither its class nor its fields. */
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

/** The URL of a thread's entry file beside `from`: `.ts` when run from source, `.js` when built. */
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

/** The error that `packError` was given: of the same class when it is one of ours. */
export function unpackError({ name, message, stack, fields }: PackedError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  const prototype = prototypes.get(name);
  if (typeof prototype === "object") Object.setPrototypeOf(error, prototype);
  return Object.assign(error, fields, { name });
}
