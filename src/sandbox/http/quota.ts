import type { SandboxFaultName } from "../faults/faults.ts";
import { type SandboxAnswer, message } from "./answers.ts";
import { RequestsPerMinute } from "./api-keys.ts";

/** The limits of a key at an API; undefined means unlimited. */
export type QuotaSettings = {
  /** Calls that a key has credits for, from the sandbox's start. */
  readonly creditCalls?: number | undefined;
  /** Calls of a key in a clock minute. */
  readonly requestsPerMinute?: number | undefined;
};

/** The refusal of a call that exceeds its key's limits. */
export type OverQuota = { readonly answer: SandboxAnswer; readonly fault: SandboxFaultName };

/**
 * Counts the calls of each key. A call costs a credit whatever its outcome, even when repeated, unless it exceeds the
 * requests per minute.
 */
export class Quota {
  readonly #creditCalls: number;
  readonly #window: RequestsPerMinute;
  readonly #spent = new Map<string, number>();

  constructor({ creditCalls = Infinity, requestsPerMinute = Infinity }: QuotaSettings) {
    this.#creditCalls = creditCalls;
    this.#window = new RequestsPerMinute(requestsPerMinute);
  }

  /** Counts a call at this time (Unix ms), and returns its refusal, if any. */
  take(owner: string, atMs: number): OverQuota | undefined {
    if (!this.#window.isWithin(owner, atMs)) {
      const seconds = Math.ceil((60_000 - (atMs % 60_000)) / 1_000);
      const answer = message(429, "Too many requests");
      return {
        answer: { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } },
        fault: "too-many-requests",
      };
    }
    const spent = this.#spent.get(owner) ?? 0;
    if (spent >= this.#creditCalls) {
      return { answer: message(429, "Credits exhausted"), fault: "credits-exhausted" };
    }
    this.#spent.set(owner, spent + 1);
    return undefined;
  }
}
