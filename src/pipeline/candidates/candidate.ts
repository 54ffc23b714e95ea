import type { StreamRecord } from "../../records/streams.ts";

/** A record on its way as a line of JSON. */
export type Candidate = {
  /** Index of its row in the page. */
  readonly index: number;
  readonly key: string;
  /** Where its key begins in the JSONL of its page, between the quotes, and where it ends; -1 where nobody looked. */
  readonly keyFrom: number;
  readonly keyTo: number;
  /** Where its line begins in the JSONL of its page. */
  readonly start: number;
  /** Where its line ends, the line end not counted. */
  readonly end: number;
  /** What the line was written from; undefined where the row was never an object. */
  readonly record?: StreamRecord | undefined;
};
