import type { RejectCode } from "../records/reject-codes.ts";

/**
 * Returned by a coercion in place of a value that it cannot make. One instance per cause, so that a bad column costs no
 * allocation.
 */
export class CoercionRefusal {
  readonly code: RejectCode;
  /** What is wrong with the value, without the value: "is not a whole number". */
  readonly reason: string;

  constructor(code: RejectCode, reason: string) {
    this.code = code;
    this.reason = reason;
  }

  /** Fails a mapping module that makes text from it; otherwise "[object Object]" would be sent. @throws {TypeError} */
  toString(): string {
    throw new TypeError(`a value that it reads ${this.reason}`);
  }
}

/**
 * A number of a JSON row with more digits than a JSON number carries for every reader: refused, unless it is
 * read as text.
 */
export class LongNumber extends CoercionRefusal {
  /** The number as written. */
  readonly text: string;

  constructor(text: string) {
    super(
      "inexact_number",
      "has more digits than a JSON number carries for every reader; map it with `as: string`",
    );
    this.text = text;
  }

  override toString(): string {
    return this.text;
  }

  /** A reject shows the number in its row, too. */
  toJSON(): string {
    return this.text;
  }
}
