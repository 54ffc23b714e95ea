import {
  CompiledQuery,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from "kysely";

import { quoteName } from "../../postgres/names.ts";

/** How long a host may leave a transaction idle: its own pauses last milliseconds. */
const silentMsMax = 60_000;

/**
 * The server ends a transaction that a stopped or cut-off host leaves open; otherwise everyone who waits for its locks
 * would wait for hours.
 */
export const endsWhereSilent = `set local idle_in_transaction_session_timeout = ${silentMsMax}`;

/**
 * Settings that hold before the first lock is taken, whatever those of the role or the database are. No statement times
 * out, running or waiting: a retry would be no faster. Each is set by a statement that takes no snapshot.
 */
const settings = ["set local statement_timeout = 0", "set local lock_timeout = 0", endsWhereSilent];

/**
 * Begins each transaction by locking the facts, in the same message; only a migration conflicts with this lock. A
 * serializable transaction sees what was committed before its first statement was sent: one that waited for a migration
 * inside that statement would see the old version, and write as for that. A lock alone takes no snapshot.
 */
class LockingDriver extends PostgresDriver {
  readonly #locking: string;

  constructor(config: PostgresDialectConfig, schema: string) {
    super(config);
    const lock = `lock table ${quoteName(schema)}.meta in access share mode`;
    this.#locking = [...settings, lock].join("; ");
  }

  override async beginTransaction(
    connection: Parameters<PostgresDriver["rollbackTransaction"]>[0],
    { isolationLevel = "read committed" }: TransactionSettings,
  ): Promise<void> {
    const begin = `start transaction isolation level ${isolationLevel}; ${this.#locking}`;
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // The first statement took effect, and nobody else knows of it. A lost connection is not used again.
      await this.rollbackTransaction(connection).catch(() => undefined);
      throw error;
    }
  }
}

/** The Postgres dialect in which each transaction waits for a migration of the schema before it sees anything. */
export class LockingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #schema: string;

  constructor(config: PostgresDialectConfig, schema: string) {
    super(config);
    this.#config = config;
    this.#schema = schema;
  }

  override createDriver(): Driver {
    return new LockingDriver(this.#config, this.#schema);
  }
}
