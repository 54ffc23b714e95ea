/** What one answer may close: a family of the API under its key, or one storage host. */
export type Gate =
  | { readonly kind: "api"; readonly family: "ingestion" | "legacy" }
  | { readonly kind: "storage"; readonly host: string };

/**
 * Decides when a request may leave, for every worker at once. The client asks just before bytes leave and reports
 * every answer that concerns more than the one request.
 */
export interface Pace {
  /**
   * Resolves when a request may leave; called once for each request, before it.
   * @throws RateLimitedError | CreditsExhaustedError | ApiAuthError when the gate is closed, or the signal's reason.
   */
  enter(gate: Gate, signal: AbortSignal): Promise<void>;
  /**
   * Closes the gate after "slow down" and returns how long to wait, in ms. `hintMs` is what the answer asked for, never
   * above `retryAfterMsMax`; undefined when it named no time.
   */
  slowDown(gate: Gate, hintMs: number | undefined, why: string): Promise<number>;
  /** Closes the gate's family until its credits are back. */
  creditsExhausted(gate: Gate, message: string): Promise<void>;
  /** Closes every gate of the key until the key changes. */
  keyRefused(message: string): Promise<void>;
  /** Hears of an accepted request; must not throw, because the request cannot be taken back. */
  succeeded?(gate: Gate): void;
}
