import type { Kysely } from "kysely";

import type { Moment } from "../../clock.ts";
import type { Tables } from "./tables.ts";

/**
 * Runs statements; outside a transaction, each statement is a transaction of its own. Tables in raw SQL are named by
 * `sql.table`, columns by `sql.ref`, as in the builder.
 */
export type Queries = Kysely<Tables>;

/** A database that holds the state. */
export type StateDatabase = {
  /** For what only reads: each statement sees what is committed when it begins. */
  readonly queries: Queries;
  /** Runs `work` in one transaction, with no writes of others in between. */
  write<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` on each part of data that does not count until a later `write`, one after the other, each in a
   * transaction of its own: durable only with the next write that changes something, and READ COMMITTED on Postgres.
   * `work` first locks the rows on which it decides. Between two parts, others that were blocked continue.
   */
  writeParts<Part>(
    parts: readonly Part[],
    work: (queries: Queries, part: Part) => Promise<void>,
  ): Promise<void>;
  /**
   * The clock that decides: on SQLite the caller's, because all its processes share a host; on Postgres the database's,
   * read at the call, and so after any lock taken before.
   */
  now(queries: Queries, callers: Moment): Promise<Moment>;
  /** Makes removed rows unreadable in the database's files; returns whether that succeeded. */
  shred(): Promise<boolean>;
};
