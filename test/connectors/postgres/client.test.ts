import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import { withSession, type Session, type TextRow } from "../../../connectors/postgres/client.ts";
import { describeSource } from "../../../connectors/postgres/source.ts";
import { ConfigError, SluiceError, SourceAuthError, RetryLater } from "../../../src/errors.ts";
import { portOf } from "../../src/api/support.ts";
import { canaries, canariesIn } from "../../support/canaries.ts";
import { authority, ownHost } from "../../support/certificates.ts";
import { ownPostgres, postgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { refusing } from "../../support/raw-server.ts";
import { readRequestOf } from "./support.ts";

const { password } = new URL(canaries.databaseUrl);

async function rowsOf(
  ask: ReturnType<typeof readRequestOf>,
  sql: string,
): Promise<readonly TextRow[]> {
  return await withSession(ask, async (session) => await session.query(sql));
}

/** The error with which a session ends; the test fails if it ends well, or if a secret is anywhere in the error. */
async function failureOf(
  ask: ReturnType<typeof readRequestOf>,
  use: (session: Session) => Promise<unknown>,
): Promise<SluiceError> {
  const error: unknown = await withSession(ask, use).then(
    () => new Error("it ended well"),
    (thrown: unknown) => thrown,
  );
  expect(canariesIn(inspect(error, { depth: 10, showHidden: true }))).toEqual([]);
  if (error instanceof SluiceError) return error;
  throw error;
}

/** The server through a wire that breaks after the first bytes of its answers that hold `last`. */
async function cutBehind(url: string, last: string): Promise<string> {
  const server = createServer((socket) => {
    const upstream = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pipe(upstream).on("data", (bytes: Buffer) => {
      if (bytes.includes(last)) socket.end(bytes);
      else socket.write(bytes);
    });
    for (const each of [socket, upstream]) each.on("error", () => undefined);
    socket.on("close", () => void upstream.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return Object.assign(new URL(url), { host: `127.0.0.1:${portOf(server)}` }).href;
}

const nothing = async (): Promise<void> => undefined;

const zoneOf = async (session: Session): Promise<string> => session.serverTimeZone;

describe("withSession", () => {
  it("gives every value as the server writes it, whatever the role is set to", async () => {
    const { query, url } = await postgres();
    await query(`do $$ begin
      execute format('alter database %I set TimeZone = ''Asia/Tokyo''', current_database()); end $$`);
    const sql =
      "select 9007199254740993 as big, null as none, timestamptz '2024-03-10 00:00+09' as at";
    expect(await rowsOf(readRequestOf(url), sql)).toEqual([
      { big: "9007199254740993", none: null, at: "2024-03-09 15:00:00+00" },
    ]);
    expect(await withSession(readRequestOf(url), zoneOf)).toBe("Asia/Tokyo");
  });

  it("reads lists with nothing in them, and not serializably, whatever the database is set to", async () => {
    const { query, url } = await postgres();
    await query(`do $$ begin
      execute format('alter database %I set array_nulls = off', current_database());
      execute format('alter database %I set default_transaction_isolation = serializable', current_database());
      end $$`);
    const sql = "select '{null}'::int[] as list, current_setting('transaction_isolation') as level";
    expect(await rowsOf(readRequestOf(url), sql)).toEqual([
      { list: "{NULL}", level: "read committed" },
    ]);
  });

  it("knows types by their bare names, whatever the role is set to", async () => {
    const { query, url } = await postgres();
    await query(`do $$ begin
      execute format('alter database %I set quote_all_identifiers = on', current_database());
      end $$`);
    const ask = readRequestOf(url);
    const sql = "select 1 as id, ''::char(3) as code, '{}'::date[] as days, ''::bytea as photo";
    const config = { ...ask.config, query: sql, key: ["id"] };
    const { columns } = await withSession(ask, async (session) => {
      return await describeSource(session, config);
    });
    expect(columns.map(({ type, items }) => items?.type ?? type)).toEqual([
      "integer",
      "bpchar",
      "date",
      "bytea",
    ]);
  });

  it("is read-only, bounded in time and called sluice, whatever the database is set to", async () => {
    const { query, url } = await postgres();
    await query(`do $$ begin
      execute format('alter database %I set idle_session_timeout = ''1s''', current_database()); end $$`);
    const sql = `select current_setting('default_transaction_read_only') as read_only,
      current_setting('statement_timeout') as timeout, current_setting('idle_session_timeout') as idle,
      current_setting('lock_timeout') as lock, current_setting('application_name') as name`;
    const ask = readRequestOf(url, { statement_timeout: "90s" });
    const always = { timeout: "90s", idle: "0", lock: "30s", name: "sluice" };
    expect(await rowsOf(ask, sql)).toEqual([{ read_only: "on", ...always }]);
    const writable = await withSession(
      { ...ask, isWritable: true },
      async (session) => await session.query(sql),
    );
    expect(writable).toEqual([{ read_only: "off", ...always }]);
  });

  it("takes nothing from the environment of a Postgres client", async () => {
    const { url } = await postgres();
    const environment = {
      PGUSER: "nobody",
      PGHOST: "nowhere",
      PGSSLMODE: "require",
      PGPASSWORD: "wrong",
    };
    const before = { ...process.env };
    // If `process.env` were replaced by a plain object, Node would not see what later tests set, such as TZ.
    onTestFinished(() => {
      for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
      Object.assign(process.env, before);
    });
    Object.assign(process.env, environment);
    const sql = "select current_user as name, ssl from pg_stat_ssl where pid = pg_backend_pid()";
    expect(await rowsOf(readRequestOf(url), sql)).toEqual([
      { name: new URL(url).username, ssl: "f" },
    ]);
  });

  it("stays alive when the server ends an idle session, and says so at the next statement", async () => {
    const { query, url } = await postgres();
    // Otherwise an error that ends a process would not fail any test.
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on("uncaughtExceptionMonitor", note);
    onTestFinished(() => void process.off("uncaughtExceptionMonitor", note));
    const failure = await failureOf(readRequestOf(url), async (session) => {
      const ours =
        "from pg_stat_activity where application_name = 'sluice' and datname = current_database()";
      await query(`select pg_terminate_backend(pid) ${ours}`);
      // The client gets the server's message before the server forgets the session, and is idle then.
      await until(async () => (await query(`select pid ${ours}`)).length === 0);
      await session.query("select 1");
    });
    expect(failure).toBeInstanceOf(RetryLater);
    expect(uncaught).toEqual([]);
  });

  // Another server may let anyone in.
  it("names the fault, the server and what to do, and never the password (T11)", async () => {
    const { query, url, urlOf } = await ownPostgres();
    const user = new URL(url).pathname.slice(1);
    await query(`create role ${user} login password '${password}' connection limit 0`);
    onTestFinished(async () => void (await query(`drop owned by ${user}; drop role ${user}`)));
    const wrong = Object.assign(new URL(url), { pathname: "/missing" });
    const cases = [
      [urlOf("sluice", "wrong"), SourceAuthError, "28P01"],
      [urlOf("sluice", ""), SourceAuthError, "SASL"],
      [wrong.href, SourceAuthError, "3D000"],
      [urlOf(user, password), ConfigError, "53300"],
    ] as const;
    for (const [at, kind, code] of cases) {
      const failure = await failureOf(readRequestOf(at), nothing);
      expect(failure).toBeInstanceOf(kind);
      expect(failure.message).toContain(code);
      expect(failure.message).toContain(`at 127.0.0.1:${new URL(url).port}`);
      expect(failure.hint).toMatch(/\.$/);
    }
  });

  it(
    "hears of an end that comes when all rows are there and the server has not said that it is ready",
    { timeout: 15_000 },
    async () => {
      const { url } = await postgres();
      const cut = await cutBehind(url, "SELECT 9\0");
      const sql = "select generate_series(1, 9)";
      const failure = await failureOf(
        readRequestOf(cut),
        async (session) => await session.block({ sql, values: [] }),
      );
      expect(failure).toBeInstanceOf(RetryLater);
    },
  );

  it.each([
    ["select 'canary-cell'::int from t", "22P02"],
    ["select f('canary-cell') from t", "P0001"],
    ["select g('canary-cell', 'ZZ001') from t", "ZZ001"],
    ["select g('canary-cell', '38000') from t", "38000"],
    ["select g('canary-cell', '55000') from t", "55000"],
  ])("tells the value of a row to nobody: %s", async (sql, state) => {
    const { query, url } = await postgres();
    await query(`create table t (id int); insert into t values (1);
      create function f(cell text) returns int language plpgsql as
        'begin raise exception ''no number: %'', cell; end';
      create function g(cell text, state text) returns int language plpgsql as
        'begin raise exception ''no number: %'', cell using errcode = state; end'`);
    const failure = await failureOf(
      readRequestOf(url),
      async (session) => await session.query(sql),
    );
    expect(failure.message).toMatch(new RegExp(`SQLSTATE ${state}$`));
  });

  it.each([
    ["select * from missing", "42P01", "table"],
    ["select missing from t", "42703", undefined],
    ["select * from secret", "42501", undefined],
    ["select * from nowhere.t", "42P01", "table"],
    ["insert into t values (1)", "25006", undefined],
    ["selec 1", "42601", undefined],
  ])("takes %s for a mistake in the configuration", async (sql, code, field) => {
    const { query, url, urlOf } = await postgres();
    const role = new URL(url).pathname.slice(1);
    await query(`create table t (id int); create table secret (id int);
      create role ${role} login password '${password}'; grant select on t to ${role}`);
    onTestFinished(async () => void (await query(`drop owned by ${role}; drop role ${role}`)));
    const failure = await failureOf(
      readRequestOf(urlOf(role, password)),
      async (session) => await session.query(sql),
    );
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure.message).toMatch(new RegExp(`\\(${code}\\)$`));
    expect(failure.field).toBe(field);
  });

  it("is worth another try where nobody listens, and for a while where the name is unknown", async () => {
    const { host } = await refusing();
    const refused = await failureOf(readRequestOf(`postgres://u:${password}@${host}/d`), nothing);
    expect(refused).toBeInstanceOf(RetryLater);
    const unknown = await failureOf(
      readRequestOf(`postgres://u:${password}@sluice.invalid/d`),
      nothing,
    );
    expect(unknown).toMatchObject({ code: "ConfigError", retryBudgetMs: 600_000 });
  });
});

/** The database under a host name, with a certificate in `ca_file`. */
async function encrypted(
  ca: string,
  members: object,
  host = "127.0.0.1",
): Promise<ReturnType<typeof readRequestOf>> {
  const { url } = await ownPostgres();
  const folder = await temporaryFolder();
  await writeFile(join(folder, "ca.pem"), ca);
  const named = Object.assign(new URL(url), { hostname: host });
  return readRequestOf(named.href, { folder, ...members });
}

/** Whether the server reports the session as encrypted; it reads rows either way. */
async function isEncrypted(session: Session): Promise<boolean> {
  const { rows } = await session.block({ sql: "select generate_series(1, 3)", values: [] });
  expect(rows.column(0)).toEqual(["1", "2", "3"]);
  const [row] = await session.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
  return row?.["ssl"] === "t";
}

describe("withSession with TLS", () => {
  it("encrypts and checks the certificate when there is a ca_file, by name and by address", async () => {
    const member = { ca_file: "ca.pem" };
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await withSession(await encrypted(ownHost.cert, member, host), isEncrypted)).toBe(
        true,
      );
    }
    expect(await withSession(await encrypted("", {}), isEncrypted)).toBe(false);
  });

  it("refuses a certificate that the authority does not vouch for, unless it is not to be checked", async () => {
    const member = { ca_file: "ca.pem" };
    const failure = await failureOf(await encrypted(authority, member), nothing);
    expect(failure).toMatchObject({ code: "ConfigError", field: "tls" });
    const unchecked = await encrypted(authority, { ...member, tls: "require" });
    expect(await withSession(unchecked, isEncrypted)).toBe(true);
  });

  it("refuses a certificate that no authority of the system vouches for", async () => {
    const failure = await failureOf(await encrypted("", { tls: "verify-full" }), nothing);
    expect(failure).toMatchObject({ code: "ConfigError", field: "tls" });
  });

  it("says which file it cannot read", async () => {
    const failure = await failureOf(await encrypted("", { ca_file: "missing.pem" }), nothing);
    expect(failure).toMatchObject({ code: "ConfigError", field: "ca_file" });
  });

  it("refuses a server without TLS", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.end("N"))).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const failure = await failureOf(
      readRequestOf(`postgres://u@127.0.0.1:${port}/d?sslmode=require`),
      nothing,
    );
    expect(failure).toMatchObject({ code: "ConfigError", field: "tls" });
  });
});
