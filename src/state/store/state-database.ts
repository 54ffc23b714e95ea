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
   * Runs `work`, a part of what says nothing until a later `write`, in a transaction of its own: durable only with the
   * next write that changes something, and on Postgres READ COMMITTED. It locks first what it decides by. One that
   * `isLater`, and follows another part, lets go on before it whatever that was in the way of.
   */
  writePart<Result>(
    work: (queries: Queries) => Promise<Result>,
    isLater?: boolean,
  ): Promise<Result>;
  /**
   * The clock that decides: on SQLite the caller's, because all its processes share a host; on Postgres the database's,
   * read when it is asked, and so after what was locked before.
   */
  now(queries: Queries, callers: Moment): Promise<Moment>;
  /** Sees to it that rows which were removed cannot be read from the database's files any more; whether they cannot. */
  shred(): Promise<boolean>;
  /** Lets calls that have come meanwhile have their turn, between two transactions of one method. */
  giveWay(): Promise<void>;
};
