import { readFile } from "node:fs/promises";
import { Socket } from "node:net";
import { resolve } from "node:path";

import { Client } from "pg";
import Cursor from "pg-cursor";

import { ConfigError, messageOf } from "../../src/errors.ts";
import { addressOf, connectMsOf, passwordOf, type Address } from "../../src/postgres/address.ts";
import { postgresError } from "../../src/postgres/errors.ts";
import { quoteName } from "../../src/postgres/names.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import type { PostgresConfig } from "./config.ts";
import {
  blockBytesMax,
  fetchBytes,
  fetchRowsMax,
  firstFetchRows,
  hangUpCheckMs,
  postgresLockWaitMs,
  silenceMs,
} from "./limits.ts";
import { fetchRows } from "./rows/fetch-rows.ts";
import { RawRows, type Text } from "./rows/raw-rows.ts";
import { RowTap } from "./rows/row-tap.ts";
import { takeSlot, type Slot } from "./slots.ts";
import { parseTable, quoteTable } from "./sql/identifier.ts";

/** A row by the names of its columns. */
export type TextRow = Readonly<Record<string, Text>>;

/** The text of a column that is never null. */
export function textIn(row: TextRow | undefined, column: string): string {
  return row?.[column] ?? "";
}

/** The request for a session; without `isWritable`, the server refuses every statement that would write. */
export type SessionRequest = Pick<ConnectorRequest<PostgresConfig>, "config" | "signal"> & {
  readonly isWritable?: boolean | undefined;
};

/** A column of the result of a `select`; `modifier` is its length or precision, -1 for none. */
type Described = { readonly name: string; readonly oid: number; readonly modifier: number };

type Opening = { readonly config: PostgresConfig; readonly slot: Slot };

/** Every value leaves the server as text, and is converted by us or not at all. */
const asText = {
  getTypeParser:
    () =>
    (text: string): string =>
      text,
};

/** The extended protocol takes one statement and no second one after a semicolon. */
const extended = { types: asText, queryMode: "extended" };

/**
 * The forms of values and of type names, and the limits on waiting, whatever the role or the database is set to. A
 * server that is too old to know a setting does not get it.
 */
const settings: Readonly<Record<string, string>> = {
  TimeZone: "UTC",
  DateStyle: "ISO, YMD",
  IntervalStyle: "iso_8601",
  bytea_output: "hex",
  // Before Postgres 12 a greater one writes 0.1 with 18 digits, which `as: number` refuses.
  extra_float_digits: "1",
  array_nulls: "on",
  // Types are recognised by their names: we do not know "date" in quotes.
  quote_all_identifiers: "off",
  lock_timeout: String(postgresLockWaitMs),
  // The connection sets how long a statement may take; between two statements, a session waits for the service.
  transaction_timeout: "0",
  idle_session_timeout: "0",
};

/** Set in each session, and by nobody else: if a new session has it, a pooler gave us one that another client left. */
const mark = "sluice.session";

const isolation = "default_transaction_isolation";

/** One connection. Its methods throw the errors of pg, which `withSession` turns into ours. */
export class Session {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #retryBudgetMs: number;
  readonly #slot: Slot;
  #serverTimeZone = "UTC";
  readonly #tap = new RowTap();
  #fetchRows = firstFetchRows;
  /** Bytes of the block before; the next one is likely to have as many. */
  #blockBytes = 0;
  #listening: AbortController | undefined;

  private constructor(client: Client, socket: Socket, { config, slot }: Opening) {
    this.#client = client;
    this.#socket = socket;
    this.#slot = slot;
    this.#retryBudgetMs = config.statement_timeout + silenceMs;
  }

  /** Connects, and sets up the session as every statement relies on it. The caller closes it. */
  static async open({ config, signal, isWritable = false }: SessionRequest): Promise<Session> {
    const address = addressOf(config);
    const ssl = await tlsOptions(address, config);
    const slot = await takeSlot(whereOf(config), signal);
    const socket = new Socket();
    const client = new Client({
      host: address.host,
      port: address.port,
      database: address.database,
      user: address.user,
      // A function, because pg takes missing values from the environment.
      password: () => passwordOf(config),
      ssl,
      enableChannelBinding: true,
      application_name: "sluice",
      client_encoding: "UTF8",
      connectionTimeoutMillis: connectMsOf(config),
      keepAlive: true,
      stream: () => socket,
    });
    const session = new Session(client, socket, { config, slot });
    session.#listen(signal);
    // At this event the server has not sent anything yet; after it, it may.
    const { connection } = client;
    connection.once(ssl === false ? "connect" : "sslconnect", () =>
      session.#tap.attach(connection.stream),
    );
    try {
      // An abort that came before the listener was added would never be noticed.
      signal.throwIfAborted();
      await client.connect();
      await session.#prepare(config, isWritable);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** The server's own time zone, in which it writes and reads times without one. */
  get serverTimeZone(): string {
    return this.#serverTimeZone;
  }

  /** Runs one statement, its values as parameters. */
  async query(sql: string, values: readonly unknown[] = []): Promise<readonly TextRow[]> {
    const asked = { ...extended, text: sql, values: [...values] };
    return (await this.#interruptible(this.#client.query<Record<string, Text>>(asked))).rows;
  }

  /** The same, each row as the values of its columns in order. */
  async rows(sql: string, values: readonly unknown[]): Promise<readonly Text[][]> {
    const asked = { ...extended, rowMode: "array" as const, text: sql, values: [...values] };
    return (await this.#interruptible(this.#client.query<Text[]>(asked))).rows;
  }

  /** The columns of the result of a `select`, without asking for a row; domains as their base types. */
  async describe(sql: string): Promise<readonly Described[]> {
    const asked = { ...extended, text: `select * from (${sql}\n) as described limit 0` };
    const { fields } = await this.#interruptible(this.#client.query(asked));
    return fields.map(({ name, dataTypeID: oid, dataTypeModifier: modifier }) => ({
      name,
      oid,
      modifier,
    }));
  }

  /**
   * Returns the rows of one statement, as they came, in a transaction that ends before it returns. It stops reading
   * once it has passed `blockBytesMax` and has two rows; then `isWhole` is false, and rows at the end may be missing.
   * @throws {RetryLater} the number of rows differs from what the server sent.
   */
  async block({
    sql,
    values,
  }: {
    readonly sql: string;
    readonly values: readonly string[];
  }): Promise<{
    readonly rows: RawRows;
    readonly isWhole: boolean;
    /** The OIDs of the types of their columns. */
    readonly oids: readonly number[];
  }> {
    const cursor = this.#client.query(new Cursor(sql, [...values]));
    const rows = new RawRows(this.#blockBytes);
    const gathered = await this.#tap.gather(rows, async () => {
      for (;;) {
        const fetching = fetchRows(cursor, rows, this.#fetchRows);
        const { isLast, oids } = await this.#interruptible(fetching);
        if (rows.count > 0) {
          // Rows as large as these may come next.
          const rowsThatFit = Math.floor((fetchBytes * rows.count) / rows.length);
          this.#fetchRows = Math.min(fetchRowsMax, Math.max(1, rowsThatFit));
        }
        if (isLast && rows.came === rows.count) return { isWhole: true, oids };
        if (rows.count >= 2 && rows.length >= blockBytesMax) return { isWhole: false, oids };
      }
    });
    await this.#interruptible(cursor.close());
    this.#blockBytes = rows.length;
    return { rows, ...gathered };
  }

  /** Closes the connection; the server ends the statement that it is still running. */
  async close(): Promise<void> {
    this.#listening?.abort();
    // In an orderly way, unless the other side is gone.
    const ended = this.#client.end().catch(() => undefined);
    const timer = setTimeout(() => this.#socket.destroy(), hangUpCheckMs);
    await ended;
    clearTimeout(timer);
    this.#socket.destroy();
    this.#slot.release();
  }

  #listen(signal: AbortSignal): void {
    // A client without this listener ends the process when its connection is lost between two statements.
    this.#client.on("error", () => undefined);
    this.#listening = new AbortController();
    signal.addEventListener("abort", () => this.#socket.destroy(), {
      signal: this.#listening.signal,
    });
  }

  async #prepare(config: PostgresConfig, isWritable: boolean): Promise<void> {
    const wanted = {
      ...settings,
      statement_timeout: String(config.statement_timeout),
      default_transaction_read_only: isWritable ? "off" : "on",
    };
    // First, and by a statement that reads nothing: a standby refuses to read where serializable is the default.
    await this.query(`set ${isolation} = 'read committed'`);
    const [row] = await this.query(
      `select current_setting('TimeZone') as zone, current_setting('${mark}', true) as used, array(
         select set_config(name, value, false) from json_each_text($1) as wanted (name, value)
         where name = '${mark}' or current_setting(name, true) is not null) as set`,
      [JSON.stringify({ ...wanted, [mark]: "on" })],
    );
    if (textIn(row, "used") !== "") {
      await this.#unset([...Object.keys(wanted), isolation]);
      throw anybodys(config);
    }
    this.#serverTimeZone = textIn(row, "zone");
    // Servers before 14, and those on some systems, refuse it: there, an abandoned statement ends by its timeout.
    await this.query(`set client_connection_check_interval = ${hangUpCheckMs}`).catch(
      () => undefined,
    );
  }

  /** Resets settings to what they were before us, for other clients of the pooler; the mark stays. */
  async #unset(names: readonly string[]): Promise<void> {
    const sql = "select set_config(name, reset_val, false) from pg_settings where name = any ($1)";
    await this.query(sql, [names]);
  }

  /** The server ends a slow statement itself; one that is silent for longer than that is gone. */
  async #interruptible<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.#socket.destroy(), this.#retryBudgetMs);
    // A cursor does not notice that the connection ends between its last row and the server's message that it is ready,
    // and would wait for ever.
    const ended = Promise.withResolvers<never>();
    const onEnd = (): void => ended.reject(new Error("Connection terminated"));
    this.#client.once("end", onEnd);
    try {
      return await Promise.race([work, ended.promise]);
    } finally {
      clearTimeout(timer);
      this.#client.off("end", onEnd);
    }
  }
}

/** The name of a server in messages: `postgres crm at db.example:5432`. */
function whereOf(config: PostgresConfig): string {
  const { host, port, database } = addressOf(config);
  return `postgres ${database} at ${host}:${port}`;
}

/** The error for a session that clients share: others could not write, and values would have the form others set. */
function anybodys(config: PostgresConfig): ConfigError {
  const pooler = "a pooler in transaction mode, or one that resets nothing, shares sessions";
  return new ConfigError(`${whereOf(config)}: ${pooler} with their settings, such as read-only`, {
    field: "url",
    hint: "Connect to the server itself, or to the pooler in session mode.",
  });
}

/** The statements that grant a configuration's role what it needs; the person must name the tables of a query. */
function grantFor({
  config,
  isWritable = false,
}: Pick<SessionRequest, "config" | "isWritable">): string {
  const { user } = addressOf(config);
  const role = user === "" ? "the role" : quoteName(user);
  const name = parseTable(config.table ?? "");
  if (name === undefined)
    return `Grant ${role} usage on the schemas that the query reads, and select on its tables.`;
  const usage =
    name.schema === undefined ? "" : `grant usage on schema ${quoteName(name.schema)} to ${role}; `;
  const rights = isWritable ? "select, insert, update" : "select";
  const more = "where types of its columns are of another schema, grant usage on that too";
  return `Run: ${usage}grant ${rights} on ${quoteTable(name)} to ${role}; ${more}`;
}

/** The error for a failed connection or statement, from `postgresError`. */
export function failureAt(
  request: Pick<SessionRequest, "config" | "isWritable">,
  error: unknown,
): Error {
  const where = whereOf(request.config);
  return postgresError(error, { where, grant: grantFor(request), isWrite: request.isWritable });
}

/**
 * Opens a session for `use` and closes it.
 * @throws {ConfigError} @throws {SourceAuthError} @throws {RetryLater} as the connector's interface asks
 */
export async function withSession<Result>(
  request: SessionRequest,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  let session: Session | undefined;
  try {
    session = await Session.open(request);
    return await use(session);
  } catch (error) {
    request.signal.throwIfAborted();
    throw failureAt(request, error);
  } finally {
    await session?.close();
  }
}

async function tlsOptions(
  { tls }: Address,
  config: PostgresConfig,
): Promise<false | { rejectUnauthorized: boolean; ca?: string }> {
  if (tls === "off") return false;
  const { ca_file: file } = config;
  if (file === undefined) return { rejectUnauthorized: tls === "verify-full" };
  try {
    const ca = await readFile(resolve(config.folder ?? "", file), "utf8");
    return { rejectUnauthorized: tls === "verify-full", ca };
  } catch (error) {
    throw new ConfigError(`ca_file ${file} cannot be read: ${messageOf(error)}`, {
      field: "ca_file",
      hint: "Check the path; it starts from the folder of sluice.yaml.",
    });
  }
}
