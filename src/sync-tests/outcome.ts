import type { StreamRecord } from "../records/streams.ts";

/** The outcome of a row. */
export type RowOutcome =
  | {
      readonly record: StreamRecord;
      /** Why fields were left out of it (`on_invalid: omit`), by path. */
      readonly omitted?: ReadonlyMap<string, string>;
    }
  | {
      readonly reject: { readonly code: string; readonly field?: string | undefined };
      /** The reason, for a person. */
      readonly reason: string;
    }
  | { readonly filtered: true };

/** The same as in a test file: one of three members. */
export type Expectation = {
  readonly record?: Readonly<Record<string, unknown>> | undefined;
  readonly reject?:
    | string
    | { readonly code: string; readonly field?: string | undefined }
    | undefined;
  readonly filtered?: true | undefined;
};
