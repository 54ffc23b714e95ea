/** Levels of objects and lists in a record's properties, the properties object itself included. */
export const recordDepthMax = 32;

/** Any value of JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/** Why a value cannot go into a record; a subset of the reject codes. */
export type JsonFault = "lone_surrogate" | "not_json" | "too_deep";

/**
 * Finds what `JSON.stringify` would drop, alter or fail on: undefined means that the value arrives as it is. An
 * undefined member counts as left out; -0 arrives as 0. `depth` is how many levels may still follow.
 */
export function jsonFaultOf(value: unknown, depth: number = recordDepthMax): JsonFault | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "lone_surrogate";
    case "number":
      return Number.isFinite(value) ? undefined : "not_json";
    case "boolean":
      return undefined;
    case "object":
      return value === null ? undefined : nestedFaultOf(value, depth);
    case "bigint":
    case "function":
    case "symbol":
    case "undefined":
    default:
      return "not_json";
  }
}

/** The bound on depth also ends the walk through a value that contains itself. */
function nestedFaultOf(value: object, depth: number): JsonFault | undefined {
  if (depth === 0) return "too_deep";
  if (Array.isArray(value)) {
    // By index, which skips no holes: a hole would become null.
    for (let index = 0; index < value.length; index += 1) {
      const fault = jsonFaultOf(value[index], depth - 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  // A Date, a Map or a class instance turns into something else, or into {}.
  if (!isPlainObject(value)) return "not_json";
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return "lone_surrogate";
    const member = value[key];
    const fault = member === undefined ? undefined : jsonFaultOf(member, depth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether a value is an object of data: neither null, nor an array, nor of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
