import type { RejectCode } from "../records/reject-codes.ts";

/** What a coercion returns in place of a value it cannot make. One instance per cause, so that a bad column costs no allocation. */
export class Refusal {
  readonly code: RejectCode;
  /** What is wrong with the value, without the value: "is not a whole number". */
  readonly reason: string;

  constructor(code: RejectCode, reason: string) {
    this.code = code;
    this.reason = reason;
  }
}
