import { rowNumbersMax } from "../../contract/keys/fingerprints.ts";

/**
 * How old a row is: of two rows of a sync the later one has the greater age, by the number of its staging and
 * its own in that.
 */
export function ageOf(send: number, rowNumber: number): number {
  return send * rowNumbersMax + rowNumber;
}

/** The staging that an age names. */
export function sendOf(age: number): number {
  return Math.floor(age / rowNumbersMax);
}

/** The number of the row that an age names, in its staging. */
export function rowNumberOf(age: number): number {
  return age % rowNumbersMax;
}
