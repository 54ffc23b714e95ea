import { createHash } from "node:crypto";

import { Secret } from "../security/secret.ts";

/** Sha256 of bytes or UTF-8 text, in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * JSON with the members of every object sorted by name, so that equal data gives equal text. Undefined members are left
 * out, and a secret shows only that there is one.
 * @throws {TypeError} for a value that JSON cannot express, because leaving it out would make unequal data equal.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return JSON.stringify(value);
  }
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return `[${items.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  }
  if (value instanceof URL || value instanceof Secret) return JSON.stringify(value);
  if (typeof value === "object" && isPlain(value)) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  throw new TypeError(`a configuration holds only data, not ${typeof value}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
