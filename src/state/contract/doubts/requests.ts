import type { Moment } from "../../../clock.ts";

/** How long a request may be applied after it began. */
export type RequestWindow = {
  /** From its begin until the client gives it up. */
  readonly deadlineMs: number;
  /** From its end until the service has surely done with it. */
  readonly restMs: number;
};

/** Who sends, and to which stream: a process that no later one is taken for. */
export type Sender = { readonly process: string; readonly stream: string; readonly now: Moment };

/** A request that is about to be made. */
export type NewRequest = Sender &
  RequestWindow & {
    /** The requests for which its doubts are noted, as `noteDoubts` answered. @default nothing is noted yet */
    readonly noted?: readonly number[] | undefined;
  };
