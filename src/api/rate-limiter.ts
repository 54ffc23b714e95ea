import type { ApiFamily } from "./endpoints.ts";

/** The scope of a limit: a family of the API under its key, or one storage host. */
export type Scope =
  | { readonly kind: "api"; readonly family: ApiFamily }
  | { readonly kind: "storage"; readonly host: string };

/** Returned by `acquire`, and given back to `ended`. */
export type Permit = {
  readonly scope: Scope;
  /** Whether this request alone finds out if a failing service is back; no other leaves before it has ended. */
  readonly isProbe: boolean;
};

/** How a request ended: undecided says nothing about the service, such as a refusal of this request or a cancel. */
export type RequestOutcome = "succeeded" | "failed" | "undecided";

/**
 * Decides for every worker at once when a request may leave. The client reports to it every answer that concerns other
 * requests.
 */
export interface RateLimiter {
  /**
   * Resolves when a request may leave; called once for each request, just before it.
   * @throws RateLimitedError | CreditsExhaustedError | ApiAuthError when it may not, or the signal's reason.
   */
  acquire(scope: Scope, signal: AbortSignal): Promise<Permit>;
  /** Records how a request with a permit ended; called once. Never throws: the request cannot be taken back. */
  ended(permit: Permit, outcome: RequestOutcome, why?: string): Promise<void>;
  /**
   * Blocks the scope after "slow down" and returns for how long, in ms. `hintMs` is the answer's, never above
   * `retryAfterMsMax`; undefined when it named no time.
   * @throws CreditsExhaustedError when the service has named no time for so long that its credits must be used up.
   */
  throttled(scope: Scope, hintMs: number | undefined, why: string): Promise<number>;
  /** Blocks the scope's family until its credits are back. */
  creditsExhausted(scope: Scope, message: string): Promise<void>;
  /** Blocks the key for good: another key has limits of its own. */
  keyRefused(message: string): Promise<void>;
}
