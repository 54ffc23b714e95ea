import type { LookedUp, RecordVerdict } from "./look-up.ts";

/** The result of a lookup, only in counts and names of fields: no key and no value. */
export type VerifySummary = {
  readonly counts: Readonly<Record<RecordVerdict, number>>;
  readonly calls: number;
  /** Records that were chosen but not looked up. */
  readonly left: number;
  /** In how many records each field differs, most first. */
  readonly differing: Readonly<Record<string, number>>;
  /** In how many records each field was compared. */
  readonly compared: Readonly<Record<string, number>>;
  /** In how many records each field was not compared, because the search never shows it or it has changed since. */
  readonly incomparable: Readonly<Record<string, number>>;
};

function countsOf(names: Iterable<string>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

const noVerdicts: Readonly<Record<RecordVerdict, number>> = {
  same: 0,
  differs: 0,
  missing: 0,
  recent: 0,
  ambiguous: 0,
  incomparable: 0,
  unanswered: 0,
};

/** Sums up a lookup. */
export function summaryOf({ records, calls, left }: LookedUp): VerifySummary {
  const compared = records.flatMap((one) => (one.compared === undefined ? [] : [one.compared]));
  const told = records.filter(({ verdict }) => verdict === "differs");
  const counts = { ...noVerdicts };
  for (const { verdict } of records) counts[verdict] += 1;
  return {
    counts,
    calls,
    left,
    differing: countsOf(
      told.flatMap((one) => (one.compared?.differing ?? []).map(({ field }) => field)),
    ),
    compared: countsOf(
      compared.flatMap(({ same, differing }) => [...same, ...differing.map(({ field }) => field)]),
    ),
    incomparable: countsOf(compared.flatMap(({ incomparable }) => incomparable)),
  };
}
