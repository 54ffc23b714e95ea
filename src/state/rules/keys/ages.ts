import { rowNumbersMax } from "../../contract/keys/fingerprints.ts";

/**
 * The age of a row, made of its staging's number and its own number in the staging. The later of two rows of a sync has
 * the greater age.
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
