import { ConfigError } from "../../src/errors.ts";
import { jsonFaultOf, type JsonValue } from "../../src/records/json-value.ts";
import type { Patch } from "./connector.ts";

/** The columns of a page of patches, in their order; all patches have the same. */
export type PatchColumns = { readonly key: readonly string[]; readonly set: readonly string[] };

/**
 * The columns that patches name.
 * @throws {ConfigError} none finds the row, one has no name, or one finds the row and is changed as well.
 */
export function columnsOfPatches([first]: readonly Patch[]): PatchColumns {
  const key = Object.keys(first?.key ?? {});
  const set = Object.keys(first?.set ?? {});
  if (key.length === 0) throw new ConfigError("no column finds the row to write", { field: "key" });
  if ([...key, ...set].includes("")) {
    throw new ConfigError("a column to write has no name", { field: "set" });
  }
  const both = set.filter((name) => key.includes(name));
  if (both.length > 0) {
    throw new ConfigError(`the column ${both.join(", ")} is both in key and in set`, {
      field: "set",
      hint: "Leave it out of set: a column that finds a row is written when the row is made.",
    });
  }
  return { key, set };
}

/** Why no table and no file can hold a patch; undefined when they can. Holds no value (docs/facts/threats.md#t11). */
export function patchFaultOf({ key, set }: Patch): string | undefined {
  for (const [column, value] of [...Object.entries(key), ...Object.entries(set)]) {
    const fault = jsonFaultOf(value);
    if (fault !== undefined) return `the column ${column} ${faultTexts[fault]}`;
    if (holdsNul(value)) return `the column ${column} would get a NUL, which text cannot hold`;
  }
  const empty = Object.entries(key).find(([, value]) => value === null);
  return empty === undefined ? undefined : `the key column ${empty[0]} has no value`;
}

const faultTexts = {
  lone_surrogate: "would get half of a character (a lone surrogate)",
  not_json: "would get what JSON cannot carry",
  too_deep: "would get a value nested too deeply",
} as const;

function holdsNul(value: JsonValue): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, member]) => name.includes("\0") || holdsNul(member));
}
