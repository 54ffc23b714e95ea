import type {
  Discovery,
  ReadLimit,
  Measure,
  Patch,
  Reject,
  Row,
  Written,
} from "../connectors/contract/connector.ts";
import type { Finding } from "../connectors/contract/request.ts";

/** What a connector must throw. */
export type Thrown = {
  /** `code` of the error: `ConfigError`, `SourceChanged`, `AuthFailed`, or `Unavailable` for a RetryLater. */
  readonly code: string;
  /** The member of the configuration at fault. */
  readonly field?: string;
  /** A piece of its message or of its hint. */
  readonly says?: string;
};

/**
 * Abilities that read, and must refuse what a read refuses; after a page `split` is asked for what follows
 * it, or for what is before.
 */
export type RefusingCase = "columns" | "discover" | "get" | "split" | "split before";

/**
 * What a read must come to: rows as the connector gives them and rejects, both in order; or what it throws,
 * and what comes before where that is said. @default nothing of each
 */
export type CaseOutcome = {
  readonly rows?: readonly Row[];
  /** Of a reject its place and code, and whatever else of it is to be held against the connector. */
  readonly rejects?: readonly (Pick<Reject, "where" | "code"> & Partial<Reject>)[];
  readonly throws?: Thrown;
  /** What else must throw the same. @default none */
  readonly throwing?: readonly RefusingCase[];
  /** What others throw where a read does not. @default nothing */
  readonly refused?: Readonly<Partial<Record<RefusingCase, Thrown>>>;
};

/** What is written, and what must become of it, also when it is written again. */
export type Writing = {
  readonly patches: readonly Patch[];
  /** With a `rejected` that is told, its reason must be just that. */
  readonly answers?: readonly (
    | Extract<Written, { done: string }>["done"]
    | "rejected"
    | { readonly rejected: string }
  )[];
  readonly throws?: Thrown;
  /** What `checkWrite` must throw for its columns. @default what the write throws, where that is a ConfigError */
  readonly checkThrows?: Thrown;
  /** What the source then holds, as `left` reads it. */
  readonly leaves?: unknown;
  left?(): Promise<unknown>;
};

/** What `recognize` is asked once the source was read, and what it must answer. */
export type Recognizing = {
  /** Done to the source first; what it changes stays for those that follow. */
  change?(): Promise<void>;
  /** What is known of the source, made of what was told of it when it was made. @default just that */
  known?(identity: unknown): unknown;
  /** Members that its identity must have now. @default any */
  readonly identity?: Readonly<Record<string, unknown>>;
  /** A piece of what it is called. @default any name */
  readonly shown?: string;
  /** A piece of why it may be another one. @default it is the same */
  readonly differs?: string;
  /** @default false */
  readonly beginsAnew?: boolean;
};

/**
 * A source that `fill` cannot make, and what must become of it: a file in another encoding, a key of two
 * columns, a setting that is wrong. It is read whole, from and up to every page boundary, in parts, and row
 * by row, as far as the connector can.
 */
export type TestCase = CaseOutcome & {
  /** Its name in messages: "a file in UTF-16". */
  readonly what: string;
  /** Makes it, anew where it was there, and gives the members of the configuration that are not the harness's. */
  make(): Promise<Readonly<Record<string, unknown>>>;
  /** Takes back what `make` did besides, once it was tried, whatever came of it. */
  undo?(): Promise<void>;
  /**
   * Whether it is only read whole, because where it is cut shows nothing more: that saves most of the time.
   * @default false
   */
  readonly isUncut?: boolean;
  /**
   * Names that `get` is asked for all at once, each with the row that it finds, from 0; false for one that is
   * missing.
   */
  readonly names?: Readonly<Record<string, number | false>>;
  /** How many rows each part has when it is cut into 2, and into 3. @default any number */
  readonly splits?: Readonly<Partial<Record<2 | 3, readonly number[]>>>;
  /**
   * How many cells of the rows the bytes of `cells` tell, so that a mapping makes no object for them: what falls back
   * to objects is as right, and slow. @default any number
   */
  readonly cells?: number;
  /**
   * In how many pages of 1,000 rows at most it comes: rows that are long make a page end earlier, because memory is
   * held in bytes. @default any number
   */
  readonly pages?: number;
  /** What `repeats` must answer for columns, which are named with a comma and a blank between them. */
  readonly repeats?: Readonly<Record<string, "often" | "once" | "unknown">>;
  /** What `columns` must answer. */
  readonly columns?: readonly string[];
  /** How many of the last rows the next run reads again. @default 0 */
  readonly overlap?: number;
  /**
   * Places for `before`, each with the rows that come before it; false, or what it throws, for one that must
   * be refused.
   */
  readonly places?: Readonly<Record<string, number | false | Thrown>>;
  /** Times for `at`, ISO 8601, as `places`. */
  readonly times?: Readonly<Record<string, number | false | Thrown>>;
  /**
   * What `check` must find among other things, each by its name; of a source that throws a fault, unless all
   * of these are none.
   */
  readonly findings?: readonly (Pick<Finding, "name"> & Partial<Finding>)[];
  /** Members that `readLimit` must answer with. */
  readonly readLimit?: Partial<ReadLimit<unknown>>;
  /** Members that `measure` must answer with for the whole. */
  readonly measure?: Partial<Measure>;
  /** A piece of each line that a whole read logs, in order. */
  readonly logs?: readonly string[];
  /** What `discover` must find among other things. */
  readonly discoveries?: readonly Discovery[];
  /** Asked one after the other. */
  readonly recognizings?: readonly Recognizing[];
  /** Made one after the other, last of all. */
  readonly writes?: readonly Writing[];
  /** Done to the source when a first page of three is read, and what a read that continues there must then come to. */
  readonly afterwards?: CaseOutcome & {
    /** Members of the configuration that are others from then on. @default none */
    readonly config?: Readonly<Record<string, unknown>>;
    /** Whether the position means nothing to the next run, which starts over. @default false */
    readonly startsOver?: boolean;
    /** Whether it is the read of that page which continues, and not another one. @default false */
    readonly isMeanwhile?: boolean;
    change?(): Promise<void>;
  };
};
