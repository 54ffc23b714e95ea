import { z } from "zod";

import { Secret } from "../src/secret.ts";

/** Where a connector writes what a person should know; no row and no secret may be in it. */
export interface Log {
  info(text: string, facts?: object): void;
  warn(text: string, facts?: object): void;
}

/**
 * What `to` covers less what `from` covers; a position stands for the set of rows it covers (keyed sources: `(from, to]`).
 * A first run has neither, a resumed one `from`, a backfill both.
 */
export type Span<Position> = {
  readonly from?: Position | undefined;
  readonly to?: Position | undefined;
};

/** A row that could not be read. */
export type SourceReject = {
  /** The place a person can find it at: `accounts.csv:48211`. */
  readonly where: string;
  /** A stable code of the connector's own: `ragged_row`. */
  readonly code: string;
  /** One sentence for a person; holds no value of the row. */
  readonly reason: string;
  readonly key?: string | undefined;
  /** What was read, for the person who mends it; kept in the reject store only. */
  readonly row?: string | undefined;
};

/**
 * A step of a read. It says: everything up to `position` is in the pages so far. Its rows and rejects number at most
 * `pageRowsMax`, and it never ends inside a group of equal positions.
 */
export type Page<Row, Position> = {
  readonly rows: readonly Row[];
  /** Where to go on from; saved once the service accepted, or the reject store holds, every row of the page. */
  readonly position: Position;
  /** The place of `rows[index]`; asked only for rejects. */
  where(index: number): string;
  readonly rejects?: readonly SourceReject[] | undefined;
};

/** What every ability is given. `signal` aborts when the run is cancelled: stop reading then. */
export type Ask<Config> = {
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly log: Log;
};

/** One line of `sluice check`. */
export type Finding = {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string | undefined;
  /** What to do when not `ok`. */
  readonly fix?: string | undefined;
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
export interface Pull<Config, Position, Row> {
  /**
   * Yields the pages of a span in order. It is called once per chunk, resumes exactly at `from`, and may be stopped after any page.
   * Rows that cannot be read are yielded as rejects; it throws only when nothing more can be read:
   * @throws {ConfigError} the configuration is wrong (`field` names it). @throws {SourceUnavailableError} worth another try.
   * @throws {SourceChangedError} the source is not the one `from` was made from. @throws {SourceAuthError} credentials refused.
   */
  read(
    ask: Ask<Config> &
      Span<Position> & {
        readonly pageRowsMax: number;
        /** The most rows the caller wants in all; the connector may yield more. */
        readonly limit?: number | undefined;
      },
  ): AsyncIterable<Page<Row, Position>>;
  /**
   * `each-run`: positions mean nothing to the next run, which reads everything again. `resume`: the next run goes on from the checkpoint.
   * @default "resume"
   */
  restart?(config: Config): "each-run" | "resume";
  /** Tells a person whether the source can be read, step by step. Never throws for a finding. */
  check?(ask: Ask<Config>): Promise<readonly Finding[]>;
  /** The names of the columns a mapping may use, read before the first row. */
  columns?(ask: Ask<Config>): Promise<readonly string[]>;
  /** How much a span holds: for the time left. */
  measure?(ask: Ask<Config> & Span<Position>): Promise<Measure>;
}

/** A row as the mapping reads it. Its prototype may be null, so that a column named `constructor` is only a column. */
export type AnyRow = Readonly<Record<string, unknown>>;

/**
 * A connector as the engine holds it: types erased, schemas kept. The engine hands `read` only configurations and
 * positions that passed the two schemas.
 */
export type Source = Pull<unknown, unknown, AnyRow> & {
  readonly kind: "pull";
  readonly name: string;
  /** The connection's members and those of `from`, merged. Members that only `from` brings must be optional here. */
  readonly config: z.ZodType;
  readonly position: z.ZodType;
};

/** Makes a connector from its schemas and abilities; the members' types follow from the schemas. */
export function pullSource<
  Config extends z.ZodType,
  Position extends z.ZodType,
  Row extends AnyRow = AnyRow,
>(
  source: {
    readonly name: string;
    readonly config: Config;
    readonly position: Position;
  } & Pull<z.output<Config>, z.output<Position>, Row>,
): Source {
  // The two schemas guard the erased types: the engine hands over only what they let through.
  return { kind: "pull", ...source };
}

/** A schema member for a secret: parsed from a string, never printed again. */
export function secret(): z.ZodType<Secret, string> {
  return z
    .string()
    .min(1)
    .transform((value) => new Secret(value));
}
