import type { Kysely } from "kysely";

import type { Moment } from "../../clock.ts";
import type { Tables } from "./tables.ts";

/**
 * Where methods ask: outside a transaction each statement is one of its own. Tables in raw SQL are named by
 * `sql.table`, columns by `sql.ref`, as in the builder.
 */
export type Queries = Kysely<Tables>;

/** A database that holds the state. */
export type StateDatabase = {
  /** For what only reads: each statement sees what is committed when it begins. */
  readonly queries: Queries;
  /** Runs `work` in one transaction, whose writes nobody else's come between. */
  write<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` on each part of what says nothing until a later `write`, one after the other, in a transaction of its
   * own: durable only with the next write that changes something, and on Postgres READ COMMITTED. It locks first what
   * it decides by. Between two of them others go on for whom they were in the way.
   */
  writeParts<Part>(
    parts: readonly Part[],
    work: (queries: Queries, part: Part) => Promise<void>,
  ): Promise<void>;
  /**
   * The clock that decides: on SQLite the caller's, because all its processes share a host; on Postgres the database's,
   * read when it is asked, and so after what was locked before.
   */
  now(queries: Queries, callers: Moment): Promise<Moment>;
  /** Sees to it that rows which were removed cannot be read from the database's files any more; whether they cannot. */
  shred(): Promise<boolean>;
};
