import type { Moment } from "../../../clock.ts";

/** How long a request may be applied after it began. */
export type RequestWindow = {
  /** From its start until the client abandons it. */
  readonly deadlineMs: number;
  /** From its end until the service is certainly done with it. */
  readonly restMs: number;
};

/** Who sends, and to which stream; no later process is mistaken for `process`. */
export type Sender = { readonly process: string; readonly stream: string; readonly now: Moment };

/** A request that is about to be made. */
export type NewRequest = Sender &
  RequestWindow & {
    /** The requests for which its doubts are noted, as `noteDoubts` returned. @default none are noted yet */
    readonly noted?: readonly number[] | undefined;
  };
