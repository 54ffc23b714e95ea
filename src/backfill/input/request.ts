import type { RunRequest } from "../../state/runs.ts";

/** An end of a span as a person gave it: a time, or a place of the source's own, such as "line 48211". */
export type SpanEnd = {
  /**
   * As it was understood, read back to the person: "2026-10-23 00:00 Europe/Paris", "line 48211". The end that is not part of its span
   * says so: "before 2026-10-24 00:00 Europe/Paris".
   */
  readonly text: string;
} & ({ readonly time: Date } | { readonly place: string });

/** What a person asked of a backfill, with every default filled in. */
export type BackfillRequest = {
  readonly sync: string;
  /** The zone that times were read in: a name of the time zone database. */
  readonly timeZone: string;
  /** Undefined: from the source's beginning. */
  readonly from: SpanEnd | undefined;
  /** Exclusive. Undefined: to the source's end. */
  readonly to: SpanEnd | undefined;
  /** The rows of these keys alone, in place of a span. */
  readonly keys: readonly string[] | undefined;
  readonly mode: RunRequest["mode"];
  /** Rows to read at most. */
  readonly limit: number | undefined;
  /** Lanes at most, from 1 to `lanesMax`. */
  readonly lanes: number;
  /** `changed` leaves out what the service is known to hold already. */
  readonly send: "all" | "changed";
  /** `auto` goes on without a person, however much it is. */
  readonly approve: "ask" | "auto";
  readonly note: string | undefined;
  /** Let the nightly run of a sync that has no checkpoint go on from `to`; goes without `from`. */
  readonly advanceCheckpoint: boolean;
};
