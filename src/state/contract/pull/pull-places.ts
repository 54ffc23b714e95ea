/** Whose place it is: what one service and account answered says nothing of another. */
export type PullName = {
  /** Origin of the base URL and the account; see `targetOf`. */
  readonly target: string;
  readonly pull: string;
};

/** A pull's place as one attempt found it: what it writes counts only while the place is still this one. */
export type PullStep = PullName & { readonly runId: string; readonly version: number };
