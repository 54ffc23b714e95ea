import { InvalidArgumentError } from "commander";

/** Reads a count from the command line. @throws {InvalidArgumentError} it is not a whole number above 0. */
export function positive(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a whole number above 0");
}
