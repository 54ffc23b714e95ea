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

/** An error that a connector must throw. */
export type Thrown = {
  /** `code` of the error: `ConfigError`, `SourceChanged`, `AuthFailed`, or `Unavailable` for a RetryLater. */
  readonly code: string;
  /** The member of the configuration at fault. */
  readonly field?: string;
  /** A piece of its message or of its hint. */
  readonly says?: string;
};

/**
 * Abilities that read, and must refuse what a read refuses; after a page, `split` is asked for the span after it, and
 * `split before` for the span before it.
 */
export type RefusingCase = "columns" | "discover" | "get" | "split" | "split before";

/**
 * The result that a read must have: rows as the connector gives them and rejects, both in order; or the error that it
 * throws, and the rows and rejects before it, where these are given. @default none of each
 */
export type CaseOutcome = {
  readonly rows?: readonly Row[];
  /** For each reject its place and code, and any further members to compare. */
  readonly rejects?: readonly (Pick<Reject, "where" | "code"> & Partial<Reject>)[];
  readonly throws?: Thrown;
  /** Other abilities that must throw the same. @default none */
  readonly throwing?: readonly RefusingCase[];
  /** The errors of abilities that must throw where a read does not. @default none */
  readonly refused?: Readonly<Partial<Record<RefusingCase, Thrown>>>;
};

/** A write and its expected result, also when it is written again. */
export type Writing = {
  readonly patches: readonly Patch[];
  /** If the text of `rejected` is given, the reason must be exactly that. */
  readonly answers?: readonly (
    | Extract<Written, { done: string }>["done"]
    | "rejected"
    | { readonly rejected: string }
  )[];
  readonly throws?: Thrown;
  /** The error that `checkWrite` must throw for its columns. @default the error of the write, if it is a ConfigError */
  readonly checkThrows?: Thrown;
  /** The content of the source afterwards, as `left` reads it. */
  readonly leaves?: unknown;
  left?(): Promise<unknown>;
};

/** A call of `recognize` once the source was read, and its expected result. */
export type Recognizing = {
  /** Changes the source first; the change stays for the calls that follow. */
  change?(): Promise<void>;
  /** Makes the known identity from the one that `recognize` gave for the source as made. @default that one */
  known?(identity: unknown): unknown;
  /** Members that its identity must have now. @default any */
  readonly identity?: Readonly<Record<string, unknown>>;
  /** A piece of its name. @default any name */
  readonly shown?: string;
  /** A piece of the reason why it may be another one. @default it is the same */
  readonly differs?: string;
  /** @default false */
  readonly beginsAnew?: boolean;
};

/**
 * A source that `fill` cannot make, and its expected results: a file in another encoding, a key of two columns, a wrong
 * setting. It is read whole, from and up to every page boundary, in parts, and row by row, as far as the connector can.
 */
export type TestCase = CaseOutcome & {
  /** Its name in messages: "a file in UTF-16". */
  readonly what: string;
  /** Makes it, again if it was there, and returns the members of the configuration that differ from the harness's. */
  make(): Promise<Readonly<Record<string, unknown>>>;
  /** Undoes the other effects of `make` once the case was tried, whatever the result. */
  undo?(): Promise<void>;
  /**
   * Whether it is only read whole, because cutting it shows nothing more: that saves most of the time.
   * @default false
   */
  readonly isUncut?: boolean;
  /**
   * Names that `get` is asked for all at once, each with the index of the row that it finds, from 0; false for a
   * missing one.
   */
  readonly names?: Readonly<Record<string, number | false>>;
  /** How many rows each part has when it is cut into 2, and into 3. @default any number */
  readonly splits?: Readonly<Partial<Record<2 | 3, readonly number[]>>>;
  /**
   * How many cells of the rows the bytes of `cells` give, so that a mapping makes no object for them: falling back to
   * objects is as right, but slow. @default any number
   */
  readonly cells?: number;
  /**
   * In how many pages of at most 1,000 rows it comes: long rows make a page end earlier, because memory is held in
   * bytes. @default any number
   */
  readonly pages?: number;
  /** The expected results of `repeats` for columns, whose names have a comma and a blank between them. */
  readonly repeats?: Readonly<Record<string, "often" | "once" | "unknown">>;
  /** The expected result of `columns`. */
  readonly columns?: readonly string[];
  /** How many of the last rows the next run reads again. @default 0 */
  readonly overlap?: number;
  /** Places for `before`, each with the number of rows before it; false, or the error, for one that must be refused. */
  readonly places?: Readonly<Record<string, number | false | Thrown>>;
  /** Times for `at`, ISO 8601, as `places`. */
  readonly times?: Readonly<Record<string, number | false | Thrown>>;
  /**
   * Findings that `check` must have among others, each by its name. For a source that throws, it must also find a
   * fault, unless all of these are given as `ok`.
   */
  readonly findings?: readonly (Pick<Finding, "name"> & Partial<Finding>)[];
  /** Members that the result of `readLimit` must have. */
  readonly readLimit?: Partial<ReadLimit<unknown>>;
  /** Members that the result of `measure` must have for the whole source. */
  readonly measure?: Partial<Measure>;
  /** A piece of each line that a whole read logs, in order. */
  readonly logs?: readonly string[];
  /** Discoveries that `discover` must make, among others. */
  readonly discoveries?: readonly Discovery[];
  /** Called one after the other. */
  readonly recognizings?: readonly Recognizing[];
  /** Made one after the other, last of all. */
  readonly writes?: readonly Writing[];
  /** A change to the source after a first page of three rows, and the expected result of a read that continues. */
  readonly afterwards?: CaseOutcome & {
    /** Members of the configuration that differ from then on. @default none */
    readonly config?: Readonly<Record<string, unknown>>;
    /** Whether the position means nothing to the next run, which starts over. @default false */
    readonly startsOver?: boolean;
    /** Whether the read of that page itself continues, and not another one. @default false */
    readonly isMeanwhile?: boolean;
    change?(): Promise<void>;
  };
};
