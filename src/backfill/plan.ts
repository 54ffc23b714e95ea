/** What a sample of the span shows about its rows; keys and values stay in the store. */
export type PlanSample = {
  readonly rows: number;
  readonly rejects: readonly {
    readonly code: string;
    readonly reason: string;
    readonly count: number;
  }[];
  readonly filtered: number;
  /** Records that the service is not known to hold, that differ from the ones it holds, and that are the same. */
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  /** For the changed ones: how often each field differs, most often first. */
  readonly fields: readonly { readonly field: string; readonly count: number }[];
  /** Bytes of its records as JSONL, and compressed. */
  readonly json_bytes: number;
  readonly gzip_bytes: number;
  /** How long reading and mapping it took. */
  readonly ms: number;
};

/** What a backfill will do: only numbers and names (I4). The query `plan` returns it, and its details show it. */
export type BackfillPlan = {
  readonly sync: string;
  /** The ends of the span in words; null means the source's beginning or end. */
  readonly from: string | null;
  readonly to: string | null;
  /** How many keys were named, in place of a span; null for a span. */
  readonly keys: number | null;
  /** The zone that times were read in and are shown in. */
  readonly time_zone: string;
  /** Rows to be read; null if the source cannot say. */
  readonly rows: number | null;
  /** Whether the rows were counted, not estimated. */
  readonly is_counted: boolean;
  readonly limit: number | null;
  /** Rows of each lane's span, in order; null if the source cannot say. */
  readonly lanes: readonly (number | null)[];
  readonly send: "all" | "changed";
  /** The mode as far as it can be known before the first chunk, and why. */
  readonly mode: string;
  readonly mode_reason: string;
  /** The basis of the numbers below. */
  readonly sample: PlanSample;
  /** Estimates from the sample; null if the number of rows is not known. */
  readonly records: number | null;
  readonly json_bytes: number | null;
  readonly gzip_bytes: number | null;
  readonly chunks: number | null;
  readonly requests: number | null;
  /** Seconds it may take, and the measurement behind that. */
  readonly seconds: number | null;
  readonly seconds_from: string;
  readonly config_hash: string;
  readonly planned_at: string;
  /** When it was first planned: its input is always read as of then. A plan of an earlier version has none. */
  readonly as_of?: string;
};
