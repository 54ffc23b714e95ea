import { inspect, isDeepStrictEqual } from "node:util";

/** Replaces a secret wherever it might be printed. */
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
 * Stands for a secret on its way to another thread of this process, where a `Secret` would arrive as an
 * empty object.
 */
type Packed = { readonly [packedMember]: string };

const packedMember = "secret on its way to a thread";

/** Makes data with secrets fit for `postMessage`; the other thread's `unpackSecrets` restores it. */
export function packSecrets(data: unknown): unknown {
  if (data instanceof Secret) return { [packedMember]: data.reveal() } satisfies Packed;
  return mapped(data, packSecrets);
}

/** Restores the input of `packSecrets`. */
export function unpackSecrets(data: unknown): unknown {
  return isPacked(data) ? new Secret(data[packedMember]) : mapped(data, unpackSecrets);
}

/**
 * Whether data arrives unchanged on another thread: it has no functions, and only classes that structured
 * cloning supports.
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

/** Looks only into lists and plain objects: other values that a schema makes contain no secrets. */
function mapped(data: unknown, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(data)) return data.map(map);
  if (typeof data !== "object" || data === null) return data;
  if (Object.getPrototypeOf(data) !== Object.prototype) return data;
  return Object.fromEntries(Object.entries(data).map(([name, member]) => [name, map(member)]));
}
