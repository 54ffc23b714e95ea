import type { ApiFamily } from "./endpoints.ts";

/** What a limit holds for: a family of the API under its key, or one storage host. */
export type Scope =
  | { readonly kind: "api"; readonly family: ApiFamily }
  | { readonly kind: "storage"; readonly host: string };

/** What `acquire` gives, and `ended` takes back. */
export type Permit = {
  readonly scope: Scope;
  /** Whether this request alone finds out if a failing service is back; no other leaves before it ended. */
  readonly isProbe: boolean;
};

/** How a request ended: undecided says nothing of the service, as a refusal of this request or a cancel. */
export type RequestOutcome = "succeeded" | "failed" | "undecided";

/**
 * Decides for every worker at once when a request may leave. The client tells it every answer that concerns
 * other requests.
 */
export interface RateLimiter {
  /**
   * Resolves when a request may leave; called once for each request, just before it.
   * @throws RateLimitedError | CreditsExhaustedError | ApiAuthError when it may not, or the signal's reason.
   */
  acquire(scope: Scope, signal: AbortSignal): Promise<Permit>;
  /** Takes how a request with a permit ended, once. Never throws: the request cannot be taken back. */
  ended(permit: Permit, outcome: RequestOutcome, why?: string): Promise<void>;
  /**
   * Blocks the scope after "slow down" and returns for how long, in ms. `hintMs` is the answer's, never above
   * `retryAfterMsMax`; undefined when it named no time.
   * @throws CreditsExhaustedError when the service names no time for so long that its credits must be used up.
   */
  throttled(scope: Scope, hintMs: number | undefined, why: string): Promise<number>;
  /** Blocks the scope's family until its credits are back. */
  creditsExhausted(scope: Scope, message: string): Promise<void>;
  /** Blocks the key for good: another key has limits of its own. */
  keyRefused(message: string): Promise<void>;
}
