import type { ApiFamily } from "./endpoints.ts";

/** What one answer may close: a family of the API under its key, or one storage host. */
export type Gate =
  | { readonly kind: "api"; readonly family: ApiFamily }
  | { readonly kind: "storage"; readonly host: string };

/** What `enter` gives: handed back when the request ended. */
export type Pass = {
  /** Whether the request alone finds out if a failing service is back; nobody else leaves before it ended. */
  readonly isProbe: boolean;
};

/**
 * Decides when a request may leave, for every worker at once. The client asks just before bytes leave, reports every answer
 * that concerns more than the one request, and ends each pass with exactly one of `succeeded`, `failed` and `undecided`,
 * which must not throw: the request cannot be taken back.
 */
export interface Pace {
  /**
   * Resolves when a request may leave; called once for each request, before it.
   * @throws RateLimitedError | CreditsExhaustedError | ApiAuthError when the gate is closed, or the signal's reason.
   */
  enter(gate: Gate, signal: AbortSignal): Promise<Pass>;
  /**
   * Closes the gate after "slow down" and returns how long to wait, in ms. `hintMs` is what the answer asked for, never
   * above `retryAfterMsMax`; undefined when it named no time.
   * @throws CreditsExhaustedError when the service names no time for so long that its credits must be used up.
   */
  slowDown(gate: Gate, hintMs: number | undefined, why: string): Promise<number>;
  /** Closes the gate's family until its credits are back. */
  creditsExhausted(gate: Gate, message: string): Promise<void>;
  /** Closes every gate of the key until the key changes. */
  keyRefused(message: string): Promise<void>;
  /** Hears of an accepted request. */
  succeeded(gate: Gate, pass: Pass): Promise<void>;
  /** Hears of a request whose end says that the service is unwell: 5xx, no connection, no answer. */
  failed(gate: Gate, pass: Pass, why: string): Promise<void>;
  /** Hears of a request whose end says neither: refused for what it was, told to wait, or cancelled. */
  undecided(gate: Gate, pass: Pass): Promise<void>;
}
