/** The variable that says how many times the random cases of `npm test` are tried; `npm run prove` sets it. */
export const trialsVariable = "SLUICE_TRIALS";

/**
 * How many random cases a property is tried with: so many in `npm test`, where they need only find what is broken
 * everywhere, and some dozens of times as many in `npm run prove`.
 */
export function trials(count: number): number {
  return count * Number(process.env[trialsVariable] ?? 1);
}
