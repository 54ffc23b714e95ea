/** The variable that says how many times the random cases of `npm test` are tried; `npm run prove` sets it. */
export const trialsVariable = "SLUICE_TRIALS";

/**
 * How many random cases a property is tried with: so many in `npm test`, where they need only find what is broken
 * everywhere, and some dozens of times as many in `npm run prove`.
 */
export function trials(count: number): number {
  return count * Number(process.env[trialsVariable] ?? 1);
}

/** Whether `npm run prove` runs this file, which tries all there is; `npm test` tries what finds most for its time. */
export const isProving: boolean = trialsVariable in process.env;

/** The rows of a table that are tried: all in `npm run prove`, and in `npm test` the first of each so many. */
export function someOf<Row>(rows: readonly Row[], ofEach: number): readonly Row[] {
  return isProving ? rows : rows.filter((_, index) => index % ofEach === 0);
}
