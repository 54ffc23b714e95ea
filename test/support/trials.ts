/** The variable that multiplies the number of random cases of `npm test`; `npm run prove` sets it. */
export const trialsVariable = "SLUICE_TRIALS";

/**
 * The number of random cases to try a property with: `count` in `npm test`, where they need only find what is broken
 * everywhere, and some dozens of times as many in `npm run prove`.
 */
export function trials(count: number): number {
  return count * Number(process.env[trialsVariable] ?? 1);
}

/** Whether `npm run prove` runs this file. It tries everything; `npm test` tries what finds most for its time. */
export const isProving: boolean = trialsVariable in process.env;

/** The rows of a table to try: all in `npm run prove`, and in `npm test` the first of every `ofEach`. */
export function someOf<Row>(rows: readonly Row[], ofEach: number): readonly Row[] {
  return isProving ? rows : rows.filter((_, index) => index % ofEach === 0);
}

/** The variable with the seed to try alone, such as one that failed; with `trialsVariable`, that many from it on. */
const seedVariable = "SLUICE_SEED";

/** The seeds of a test that draws everything from one: from 1 on, or from the one that was asked for. */
export function seedsFrom(count: number): readonly number[] {
  const asked = process.env[seedVariable];
  const first = Number(asked ?? 1);
  return Array.from({ length: trials(asked === undefined ? count : 1) }, (_, n) => first + n);
}
