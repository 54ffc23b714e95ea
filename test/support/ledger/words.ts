import type { LedgerFacts, OracleRow } from "./facts.ts";

/** One invariant: returns the violations found, in words. */
export type Invariant = (facts: LedgerFacts) => string[];

const namesShownMax = 5;

/** A finding about the things named, or nothing when there are none. */
export function about(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > namesShownMax ? ", …" : "";
  return [`${text}: ${names.length} (${names.slice(0, namesShownMax).join(", ")}${more})`];
}

/** Reports two numbers that should be equal and are not. */
export function differs(text: string, is: unknown, shouldBe: unknown): string[] {
  return is === shouldBe ? [] : [`${text} is ${String(is)}, should be ${String(shouldBe)}`];
}

/** The rows that should become this. */
export function kindOf(
  oracle: readonly OracleRow[],
  kind: OracleRow["verdict"]["kind"],
): OracleRow[] {
  return oracle.filter(({ verdict }) => verdict.kind === kind);
}
