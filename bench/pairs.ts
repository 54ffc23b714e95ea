/** The median of some figures with an interval that contains the true median with 95 % certainty. */
export type Interval = { readonly low: number; readonly median: number; readonly high: number };

/** Fewest figures for which there is an interval at all. */
export const pairsMin = 6;

const certainty = 0.95;

/**
 * How many figures are outside the interval at each end: as many of the sorted figures as can be left out so
 * that the true median is between the others with the wanted certainty, whatever the figures' distribution.
 * Each figure is below the median with one chance in two.
 */
function outside(count: number): number {
  let [chance, below, left] = [0.5 ** count, 0, 0];
  for (; left < count; left += 1) {
    below += chance;
    if (2 * below > 1 - certainty) break;
    chance *= (count - left) / (left + 1);
  }
  return left - 1;
}

/** The median of figures and its interval. @throws {RangeError} there are fewer than `pairsMin`. */
export function medianInterval(figures: readonly number[]): Interval {
  const sorted = figures.toSorted((a, b) => a - b);
  const edge = outside(sorted.length);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  if (edge < 0) throw new RangeError(`${figures.length} figures are fewer than ${pairsMin}`);
  const half = (sorted.length - 1) / 2;
  const median = (at(Math.floor(half)) + at(Math.ceil(half))) / 2;
  return { low: at(edge), median, high: at(sorted.length - 1 - edge) };
}

/** The ratios of figures that were measured in pairs. */
export function ratiosOf(figures: readonly number[], beside: readonly number[]): readonly number[] {
  return figures.map((figure, pair) => figure / (beside[pair] ?? Number.NaN));
}

/** The verdict of pairs on a bound: broken if the whole interval is above it, open if the bound is inside. */
export type PairsVerdict = "holds" | "open" | "broken";

/** Checks an interval of ratios against the largest allowed ratio. */
export function judgePairs({ low, high }: Interval, bound: number): PairsVerdict {
  if (low > bound) return "broken";
  return high > bound ? "open" : "holds";
}
