/** The candidate that a mistyped word most likely means; undefined if none is near. Ignores case and separators. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const other = plain(candidate);
    const distanceMax = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    if (Math.abs(wanted.length - other.length) > distanceMax) continue;
    const distance = editDistance(wanted, other);
    if (distance <= distanceMax && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A message's tail ` (did you mean "x"?)`, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = closest(word, candidates);
  return candidate === undefined ? "" : ` (did you mean "${candidate}"?)`;
}

/** Whether two words differ in case and separators only. */
export function isSameWord(word: string, other: string): boolean {
  return plain(word) === plain(other);
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let older: number[] = [];
  let old = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const now = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      now[column] = Math.min(
        at(now, column - 1) + 1,
        at(old, column) + 1,
        at(old, column - 1) + (same ? 0 : 1),
        swapped ? at(older, column - 2) + 1 : Infinity,
      );
    }
    older = old;
    old = now;
  }
  return at(old, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
