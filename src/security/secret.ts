import { inspect, isDeepStrictEqual } from "node:util";

/** Stands for a secret wherever it might be printed. */
const hidden = "[secret]";

/** A value that is never printed: String(), JSON and inspect all give "[secret]". */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; called only where it is sent or compared. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}

/**
 * What stands for a secret on its way to another thread of this process, where a `Secret` would arrive as an
 * empty object.
 */
type Packed = { readonly [packedMember]: string };

const packedMember = "secret on its way to a thread";

/** Data with every secret in it made fit for `postMessage`; the other thread's `unpackSecrets` gives it back. */
export function packSecrets(data: unknown): unknown {
  if (data instanceof Secret) return { [packedMember]: data.reveal() } satisfies Packed;
  return mapped(data, packSecrets);
}

/** What `packSecrets` was given. */
export function unpackSecrets(data: unknown): unknown {
  return isPacked(data) ? new Secret(data[packedMember]) : mapped(data, unpackSecrets);
}

/**
 * Whether data arrives on another thread as it is: no function, and no class but those that structured
 * cloning knows.
 */
export function crossesThreads(data: unknown): boolean {
  try {
    return isDeepStrictEqual(unpackSecrets(structuredClone(packSecrets(data))), data);
  } catch {
    return false;
  }
}

function isPacked(data: unknown): data is Packed {
  return typeof data === "object" && data !== null && packedMember in data;
}

/** Only lists and plain objects are looked into: what a schema makes besides holds no secret. */
function mapped(data: unknown, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(data)) return data.map(map);
  if (typeof data !== "object" || data === null) return data;
  if (Object.getPrototypeOf(data) !== Object.prototype) return data;
  return Object.fromEntries(Object.entries(data).map(([name, member]) => [name, map(member)]));
}
