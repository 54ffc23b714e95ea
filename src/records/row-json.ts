import type { Row } from "./streams.ts";

/** Stands for a row that JSON cannot show. */
export const unshownRow = "(a row that JSON cannot show)";

/**
 * A row as JSON, with the digits of a bigint as text; undefined if it contains itself, or if a cell refuses to be
 * written.
 */
export function rowJson(row: Row | undefined): string | undefined {
  try {
    return JSON.stringify(row ?? null, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
  } catch {
    return undefined;
  }
}
