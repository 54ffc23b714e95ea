/** A record on its way as a line of JSON. */
export type Candidate = {
  /** Index of its row in the page. */
  readonly index: number;
  readonly key: string;
  /** Where its key begins in the JSONL of its page, between the quotes, and where it ends; -1 if it was not located. */
  readonly keyFrom: number;
  readonly keyTo: number;
  /** Where its line begins in the JSONL of its page. */
  readonly start: number;
  /** Where its line ends, without the line end. */
  readonly end: number;
};
