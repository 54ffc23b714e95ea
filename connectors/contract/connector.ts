import { z } from "zod";

import type { Cells } from "../../src/records/cells.ts";
import type { JsonValue } from "../../src/records/json-value.ts";
import type { Row } from "../../src/records/streams.ts";
import { Secret } from "../../src/security/secret.ts";
import type { PushSource } from "./push.ts";
import type { ConnectorRequest, Finding } from "./request.ts";
import { connectorApi, type ConnectorApi } from "./version.ts";

/**
 * The rows that `to` covers, minus those that `from` covers; a position stands for the set of rows it covers (keyed
 * sources: `(from, to]`). A first run has neither, a resumed one has `from`, a backfill both.
 */
export type Span<Position> = {
  readonly from?: Position | undefined;
  readonly to?: Position | undefined;
};

/** The request for a read. */
export type ReadRequest<Config, Position> = ConnectorRequest<Config> &
  Span<Position> & {
    /** The most rows and rejects of a page. */
    readonly pageRowsMax: number;
    /** The most rows the caller wants in all; the connector may yield more. */
    readonly limit?: number | undefined;
  };

/** A row that could not be read. */
export type Reject = {
  /** The place where a person can find it: `accounts.csv:48211`. */
  readonly where: string;
  /** A stable code of the connector's own: `ragged_row`. */
  readonly code: string;
  /** One sentence for a person; holds no value of the row. */
  readonly reason: string;
  readonly key?: string | undefined;
  /** What was read, for the person who fixes it; kept in the reject store only. */
  readonly row?: string | undefined;
  /**
   * How many `rows` of its page come before it: a replay must not send it over a newer row, nor an older one over it.
   * @default those of the same file or list whose `where` ends with a smaller number; none of them if the places do not
   * show the order
   */
  readonly rowsBefore?: number | undefined;
};

/**
 * A step of a read: everything up to `position` is in the pages so far. A page has at most `pageRowsMax` rows and
 * rejects, and never ends inside a group of equal positions.
 */
export type Page<OwnRow, Position> = {
  readonly rows: readonly OwnRow[];
  /**
   * The same rows as bytes, for mappings that need no objects: several times as fast. A source that has no text of its
   * rows leaves it out. A source that brings it makes `rows` and `row()` only when asked: for most pages nobody asks
   * for `rows`.
   */
  readonly cells?: Cells | undefined;
  /** Where to continue from; saved once the service accepted, or the reject store holds, every row of the page. */
  readonly position: Position;
  /** The place of `rows[index]`; asked only for rejects. */
  where(index: number): string;
  /** The text of `rows[index]` as it was read; asked only for rejects. @default the row as JSON */
  readonly text?: ((index: number) => string) | undefined;
  readonly rejects?: readonly Reject[] | undefined;
  /**
   * Whether the next run may go back over rows of this page (`rewind`); asked for a first read with `send: all`, which
   * follows only those rows.
   * @default true
   */
  readonly mayComeAgain?: boolean | undefined;
  /**
   * Roughly the memory that the page takes. After much of it the rows so far are worked off before the next page is
   * read. A source whose rows are small leaves it out.
   */
  readonly heapBytes?: number | undefined;
};

/** A column, as far as the source knows it. */
export type Column = {
  readonly name: string;
  readonly type: "string" | "number" | "boolean" | "date" | "time" | "json" | "other";
  readonly isNullable?: boolean | undefined;
  /** What the source itself calls the type: `numeric(10,2)`. */
  readonly note?: string | undefined;
};

/** Something a sync could read: a table, a file. */
export type Discovery = {
  /** Its name for a person: `crm.companies`. */
  readonly name: string;
  /** Members of `from` that read it, including a change column where there is one. */
  readonly from: Readonly<Record<string, JsonValue>>;
  readonly columns: readonly Column[];
  /** Columns that identify a row; empty when none do. */
  readonly key: readonly string[];
};

/** The change that a write-back makes in one row: the columns that find the row, and the columns that get a value. */
export type Patch = {
  readonly key: Readonly<Record<string, JsonValue>>;
  readonly set: Readonly<Record<string, JsonValue>>;
};

/** The result of a patch: `missing` when there is no such row and none was made. */
export type Written =
  | { readonly done: "written" | "unchanged" | "missing" }
  | { readonly rejected: string };

/** Rows that were asked for by name. */
export type Got<OwnRow> = Omit<Page<OwnRow, never>, "position"> & {
  /** The requested names that are no longer there. */
  readonly missing: readonly string[];
};

/** Why pages bring no `cells`. */
export type NoCells = {
  /** As a clause: "a.csv is utf-16le and not utf-8". */
  readonly because: string;
  /** The member of the configuration that says so, where one does. */
  readonly member?: string | undefined;
};

/** How much a span holds. */
export type Measure = {
  readonly rows?: number | undefined;
  readonly bytes?: number | undefined;
  /** False for an estimate. */
  readonly exact: boolean;
};

/**
 * A source that is read. `read` is the one required member; every other member is a promise the engine then relies on.
 * A connector knows nothing of Temporal, of the API or of other connectors, and keeps no state outside its generators.
 */
export interface Pull<Config, Position, OwnRow> {
  /**
   * Yields the pages of a span in order. It is called once per chunk, and by previews and plans; it resumes exactly at
   * `from`, and may be stopped after any page. It closes everything that it opens, in a `finally`: a read that is
   * stopped gets `return()`, and `signal` aborts one that waits. Rows that cannot be read are yielded as rejects; it
   * throws only when nothing more can be read:
   * @throws {ConfigError} the configuration is wrong (`field` names it). @throws {RetryLater} worth another try.
   * @throws {SourceChangedError} the source is not the one `from` was made from. @throws {SourceAuthError} credentials
   * refused.
   */
  read(request: ReadRequest<Config, Position>): AsyncIterable<Page<OwnRow, Position>>;
  /**
   * `each-run`: positions mean nothing to the next run, which reads everything again. `resume`: the next run
   * continues from the checkpoint.
   * @default "resume"
   */
  restart?(config: Config): "each-run" | "resume";
  /**
   * Whether `where` names lines of files: a place that holds a key stays with the rows, and out of Temporal.
   * @default false
   */
  readonly placesAreLines?: boolean;
  /** Reports to a person whether the source can be read, step by step. Never throws for a finding. */
  check?(request: ConnectorRequest<Config>): Promise<readonly Finding[]>;
  /** The names of the columns a mapping may use, read before the first row. */
  columns?(request: ConnectorRequest<Config>): Promise<readonly string[]>;
  /**
   * Compares this source with the one that was read before: two databases may answer to one name, and a position in one
   * means nothing in the other. Called when a run opens and before each chunk; `known` is the identity that it last
   * returned, `position` the checkpoint, and `isWritten` whether a pull writes there, and reads no rows. The new
   * identity is kept, unless `differs` stops the run; `sluice state rebind` keeps it anyway.
   */
  recognize?(
    request: ConnectorRequest<Config> & {
      readonly known?: unknown;
      readonly position?: Position | undefined;
      readonly isWritten?: boolean | undefined;
    },
  ): Promise<Recognition>;
  /**
   * For a source whose pages bring `cells`: why they do not with this configuration; undefined when they do. `sluice
   * check` shows it.
   * @default its pages never bring any
   */
  whyNoCells?(request: ConnectorRequest<Config>): Promise<NoCells | undefined>;
  /** How much a span holds, to estimate the time left. */
  measure?(request: ConnectorRequest<Config> & Span<Position>): Promise<Measure>;
  /** Lists what there is to read, at most `max` of it, in the order of names. */
  discover?(
    request: ConnectorRequest<Config> & { readonly max: number },
  ): Promise<readonly Discovery[]>;
  /**
   * How far a run may read, by the source's own clock, and how far back the next one must go because of
   * transactions that are still open. Called when a run opens, with the checkpoint if it has one, and when a
   * backfill is planned; it changes nothing.
   */
  readLimit?(
    request: ConnectorRequest<Config> & { readonly since?: Position | undefined },
  ): Promise<ReadLimit<Position>>;
  /**
   * Steps back over the configured overlap, or to `oldestOpen` where that is earlier. Called once, when a run opens, on
   * the checkpoint; `to` is how far the run may read. Undefined: the position was made by another configuration and
   * means nothing now, so everything is read again.
   */
  rewind?(input: {
    readonly config: Config;
    readonly position: Position;
    readonly oldestOpen?: Position | undefined;
    readonly to?: Position | undefined;
  }): Promise<Position | undefined> | Position | undefined;
  /**
   * For a source without `rewind`: whether a position belongs to what the configuration reads. If not, everything is
   * read again, and the run says so.
   * @default it is
   */
  isOf?(input: { readonly config: Config; readonly position: Position }): boolean;
  /**
   * The position that covers everything before a time. Its rows have one time each, their last change: a
   * source that holds versions of a record one after the other (a log, a file that grows) has no `at`,
   * because a backfill by time would send old versions. @throws {ConfigError} with this configuration a time
   * says nothing about a row.
   */
  at?(input: { readonly config: Config; readonly when: Date }): Position;
  /**
   * The position that covers everything before a place, as a person names one in a backfill: "line 48211", or a number
   * of the change column. @throws {ConfigError} it is not such a place; the hint says what is.
   */
  before?(request: ConnectorRequest<Config> & { readonly place: string }): Promise<Position>;
  /** Cuts a span into at most `parts` neighbours that share their edges and hold about as many rows each. */
  split?(
    request: ConnectorRequest<Config> & Span<Position> & { readonly parts: number },
  ): Promise<readonly Span<Position>[]>;
  /**
   * How often the same values may be in some columns: `once`; `often` where rows are versions or parts that only
   * further columns distinguish; undefined where nobody knows. Such rows are read in one lane, because older ones must
   * never follow newer ones.
   * @default `once`
   */
  repeats?(
    request: ConnectorRequest<Config> & { readonly columns: readonly string[] },
  ): Promise<"often" | "once" | undefined>;
  /**
   * Reads single rows by the names that `where` gives them, or by their keys; in any order, 1,000 names at most. The
   * span, where there is one, is the one that was being read when the rows got those names: some sources cannot find
   * their rows without it; with it, `where` of the answer gives the names as they were asked for.
   * @throws {SourceChangedError} the names mean nothing any more, because the source is not the one the span was made
   * from.
   */
  get?(
    request: ConnectorRequest<Config> & Span<Position> & { readonly names: readonly string[] },
  ): Promise<Got<OwnRow>>;
  /**
   * Writes values back, at most 1,000 patches at a time, all of the same columns; one answer per patch, in order.
   * Writing twice is the same as writing once: a row that has the values already is left alone. One that waits before
   * it writes calls `beforeWrite` after the wait, which throws when newer values may have been written meanwhile.
   */
  write?(
    request: ConnectorRequest<Config> & {
      readonly patches: readonly Patch[];
      readonly beforeWrite?: (() => Promise<void>) | undefined;
    },
  ): Promise<readonly Written[]>;
  /**
   * Checks whether `write` could write these columns, before anything is paid for, and writes nothing. Left out by a
   * connector that needs nothing made beforehand. @throws {ConfigError} it could not: the hint says what is missing.
   */
  checkWrite?(
    request: ConnectorRequest<Config> & {
      readonly columns: { readonly key: readonly string[]; readonly set: readonly string[] };
    },
  ): Promise<void>;
  /** The statement that creates what `write` needs, for a person to read and run. */
  ddl?(input: {
    readonly config: Config;
    readonly key: readonly Column[];
    readonly set: readonly Column[];
  }): string;
}

/** The identity of a source, compared with the known one. */
export type Recognition = {
  /** Kept in the store, and given back as `known`; holds no secret. */
  readonly identity: JsonValue;
  /** Its name for a person: `database crm at db.example:5432`. */
  readonly shown: string;
  /**
   * Why it may not be the source that `known` describes, as a clause; undefined when it is the same, or nothing is
   * known.
   */
  readonly differs?: string | undefined;
  /**
   * Whether it is the same, but nothing known of it counts any more, so that only reading it anew helps.
   * @default false: a person may say that it is the same
   */
  readonly beginsAnew?: boolean | undefined;
};

/** How far a run may read. */
export type ReadLimit<Position> = {
  /**
   * The last position of a read that gets that far, so that the checkpoint does not stay behind; undefined:
   * to the end.
   */
  readonly to?: Position | undefined;
  /** Where the oldest transaction that may still commit earlier rows began. */
  readonly oldestOpen?: Position | undefined;
  /** The number of rows beyond `to` because they are stamped in the future. */
  readonly future?: number | undefined;
  /** Warnings for a person: for example, that transactions cannot be seen. */
  readonly warnings?: readonly string[] | undefined;
  /** Why a checkpoint means nothing for this source, where everything is read again. @default a general wording */
  readonly whyOther?: string | undefined;
};

export type { Row };

/**
 * A connector as the engine holds it: types erased, schemas kept. The engine hands `read` only configurations and
 * positions that passed the two schemas.
 */
export type Source = Pull<unknown, unknown, Row> & {
  readonly kind: "pull";
  readonly api: ConnectorApi;
  /** Its name for people; `connector:` in sluice.yaml names an external one by its path or its package. */
  readonly name: string;
  /**
   * The connection's members and those of `from`, merged. Members that only `from` brings must be optional here. A
   * schema that takes `folder` is given the folder of sluice.yaml there. Its output crosses to threads: strings,
   * numbers, lists, plain objects and the output of `secret()`.
   */
  readonly config: z.ZodType;
  readonly position: z.ZodType;
  /** For a source that is pushed to: the connector whose events it reads from the inbox. */
  readonly push?: PushSource | undefined;
  /** For such a source: how many events of a span were removed before anybody read them for this sync. */
  readonly gone?:
    | ((request: { readonly config: unknown } & Span<unknown>) => Promise<number>)
    | undefined;
};

/** Makes a connector from its schemas and abilities; the members' types follow from the schemas. */
export function pullSource<
  Config extends z.ZodType,
  Position extends z.ZodType,
  OwnRow extends Row = Row,
>(
  source: {
    readonly name: string;
    readonly config: Config;
    readonly position: Position;
  } & Pull<z.output<Config>, z.output<Position>, OwnRow>,
): Source {
  // The two schemas guard the erased types: the engine hands over only what they let through.
  return { kind: "pull", api: connectorApi, ...source };
}

/** A schema member for a secret: parsed from a string, never printed again. */
export function secret(): z.ZodType<Secret, string> {
  return z
    .string()
    .min(1)
    .transform((value) => new Secret(value));
}
