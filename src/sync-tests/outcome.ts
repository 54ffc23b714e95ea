import type { StreamRecord } from "../records/streams.ts";

/** What became of a row. */
export type RowOutcome =
  | {
      readonly record: StreamRecord;
      /** Why fields were left out of it (`on_invalid: omit`), by their paths. */
      readonly omitted?: ReadonlyMap<string, string>;
    }
  | {
      readonly reject: { readonly code: string; readonly field?: string | undefined };
      /** What is wrong, for a person. */
      readonly reason: string;
    }
  | { readonly filtered: true };

/** The same as a test file says it: one of three members. */
export type Expectation = {
  readonly record?: Readonly<Record<string, unknown>> | undefined;
  readonly reject?:
    | string
    | { readonly code: string; readonly field?: string | undefined }
    | undefined;
  readonly filtered?: true | undefined;
};
