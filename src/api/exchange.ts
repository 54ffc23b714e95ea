import type { SluiceError } from "../errors.ts";
import type { EndpointName } from "./endpoints.ts";
import type { HeaderValue } from "./http/retry-after.ts";

/** What a fault is judged by besides the answer. */
export type Exchange = {
  readonly endpoint: EndpointName;
  /** The request as a person reads it: "POST /ingestion/confirm-upload". */
  readonly what: string;
  /** The setting the address comes from; undefined when the service gave it. */
  readonly addressField?: string | undefined;
  /** Records the request stands for; indices at or above it name nothing. */
  readonly records: number;
};

/** An answer as it came. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly text: string;
  /** Why `text` is not the whole body; undefined when it is. */
  readonly cutShort?: string | undefined;
  /** Whether the whole request had been handed to the connection when the answer began. */
  readonly sentWhole: boolean;
};

/** What an answer means; the last three concern more than the one request. */
export type AnswerOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "failed"; readonly error: SluiceError }
  | {
      readonly kind: "slowDown";
      readonly message: string;
      readonly hintMs: number | undefined;
      /** Whether the records may have been taken, or the page paid for, all the same. */
      readonly mayHaveSucceeded: boolean;
    }
  | { readonly kind: "creditsExhausted"; readonly message: string }
  | { readonly kind: "keyRefused"; readonly message: string };
