import type { SluiceError } from "../errors.ts";
import type { EndpointName } from "./endpoints.ts";
import type { HeaderValue } from "./http/retry-after.ts";

/** The facts by which a fault is judged, besides the answer. */
export type Exchange = {
  readonly endpoint: EndpointName;
  /** The request as a person reads it: "POST /ingestion/confirm-upload". */
  readonly what: string;
  /** The setting the address comes from; undefined when the service gave it. */
  readonly addressField?: string | undefined;
  /** Number of records that the request is about; an index at or above it names nothing. */
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

/** The meaning of an answer; the last three concern other requests too. */
export type AnswerOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "failed"; readonly error: SluiceError }
  | {
      readonly kind: "slowDown";
      readonly message: string;
      readonly hintMs: number | undefined;
      /** Whether the records may still have been taken, or the page paid for. */
      readonly mayHaveSucceeded: boolean;
    }
  | { readonly kind: "creditsExhausted"; readonly message: string }
  | { readonly kind: "keyRefused"; readonly message: string };
