import { Client, escapeLiteral } from "pg";

import { BusyError, ConfigError, messageOf } from "../../errors.ts";
import { sqlStateOf } from "../../postgres/errors.ts";
import { quoteName } from "../../postgres/names.ts";
import { counted } from "../../text/quantities.ts";
import { beatsKeepSchemaMs } from "../limits.ts";
import { endsWhereSilent } from "./locking-dialect.ts";
import { ddlAfter, storeSteps } from "./schema.ts";
import { clientOf, storeName, type StoreServer } from "./server.ts";
import { asStoreError, versionError } from "./store-error.ts";
import { noTransactionTimeout, projectName, refuseOtherProject, versionName } from "./version.ts";

/** The number of the lock that keeps two migrations of one database apart; the lock ends with its transaction. */
const migrationLock = 7_358_223;

/**
 * Settings, whatever the role's defaults are: after waiting for a lock, a statement sees what was committed before, and
 * a large table may take as long as it needs. The advisory lock keeps migrations apart.
 */
const beginning: readonly string[] = [
  "begin isolation level read committed",
  "set local statement_timeout = 0",
  noTransactionTimeout,
  `select pg_advisory_xact_lock(${migrationLock})`,
];

/** What exists of a store. */
type Found = { readonly hasSchema: boolean; readonly version: number };

/** The statements that bring a store to the version that this sluice knows. */
function statementsFrom(
  { hasSchema, version }: Found,
  { schema, project }: StoreServer,
): readonly string[] {
  if (version === storeSteps.length) return [];
  const name = quoteName(schema);
  const noted =
    `insert into ${name}.meta (name, value) values ('${versionName}', '${storeSteps.length}') ` +
    "on conflict (name) do update set value = excluded.value";
  const first = [
    // A role that may not create schemas may have been given one.
    ...(hasSchema ? [] : [`create schema ${name}`]),
    ...ddlAfter(0, schema),
    ...(project === undefined
      ? []
      : [
          `insert into ${name}.meta (name, value) values ('${projectName}', ${escapeLiteral(project)})`,
        ]),
    `insert into ${name}.meta (name, value) values
      ('store_id', gen_random_uuid()::text),
      ('salt', replace(gen_random_uuid()::text, '-', '')),
      ('key_secret', replace(gen_random_uuid()::text, '-', ''))`,
  ];
  return [...(version === 0 ? first : ddlAfter(version, schema)), noted];
}

/** @throws {ConfigError} the database cannot hold every text that a key may be. */
function refuseEncoding(encoding: string | undefined, server: StoreServer): void {
  if (encoding === "UTF8") return;
  throw new ConfigError(
    `${storeName(server)}: the encoding of the database is ${encoding}, not UTF8`,
    {
      field: "store.url",
      hint: "name another database: `create database sluice template template0 encoding 'UTF8'` makes one",
    },
  );
}

async function find(client: Client, server: StoreServer): Promise<Found> {
  const name = quoteName(server.schema);
  const { rows } = await client.query<{
    schema: string | null;
    meta: string | null;
    encoding: string;
  }>(
    "select to_regnamespace($1) as schema, to_regclass($2) as meta, current_setting('server_encoding') as encoding",
    [name, `${name}.meta`],
  );
  refuseEncoding(rows[0]?.encoding, server);
  const hasSchema = (rows[0]?.schema ?? null) !== null;
  if ((rows[0]?.meta ?? null) === null) return { hasSchema, version: 0 };
  const facts = await client.query<{ name: string; value: string }>(
    `select name, value from ${name}.meta where name in ($1, $2)`,
    [versionName, projectName],
  );
  const known = new Map(facts.rows.map((fact) => [fact.name, fact.value]));
  refuseOtherProject(known.get(projectName), server);
  const version = Number(known.get(versionName) ?? 0);
  if (version > storeSteps.length) throw versionError(version, server);
  return { hasSchema, version };
}

/** The most workers in the way that a message names. */
const workersNamedMax = 10;

/**
 * Selects the live workers that opened the store as it is; `name` is the quoted name of its schema. A beat in the
 * future is from before the database's clock was set back or another server took over: live workers beat again.
 */
function livingSql(name: string): string {
  return `select process, host_id as host, version from ${name}.hosts
    where abs(extract(epoch from clock_timestamp()) * 1000 - last_beat) < ${beatsKeepSchemaMs}
    order by last_beat desc`;
}

const stopHint =
  "stop the workers first, and the receivers, which would keep nothing; a worker that was killed counts for " +
  `${beatsKeepSchemaMs / 1_000} s`;

/** Makes all writers wait; writes under way finish first. */
function lockSql(name: string): string {
  return `lock table ${name}.meta in access exclusive mode`;
}

/**
 * Keeps everyone from writing until the migration is committed. Writes under way finish first; later ones find the new
 * version, and say which side to upgrade.
 * @throws {BusyError} live workers opened the store as it is: everything that they run would fail in the middle.
 */
async function keepOthersOut(client: Client, server: StoreServer): Promise<void> {
  const name = quoteName(server.schema);
  const { rows } = await client.query<{ process: string; host: string; version: string }>(
    livingSql(name),
  );
  if (rows.length > 0) {
    const named = rows.slice(0, workersNamedMax).map(({ process, host, version }) => {
      return `process ${process} of sluice ${version} on host ${host}`;
    });
    const more = rows.length > named.length ? ", and others" : "";
    throw new BusyError(
      `${storeName(server)} is of an older version, and ${counted(rows.length, "worker")} of it ` +
        `${rows.length === 1 ? "lives" : "live"}: ${named.join(", ")}${more}`,
      { hint: stopHint },
    );
  }
  await client.query(lockSql(name));
}

/** Statements of PL/pgSQL as one SQL statement. */
function doBlock(body: string): string {
  let quote = "$do$";
  while (body.includes(quote)) quote = `$do_${quote.length}$`;
  return `do ${quote}\n${body}\n${quote}`;
}

function raise(message: string, hint: string): string {
  return `raise exception using message = ${message},\n      hint = ${escapeLiteral(hint)};`;
}

/**
 * The checks and the lock of `keepOthersOut`, for statements that somebody else runs later: they change nothing if
 * workers live, or if the store has another version by then.
 */
function guardSql(version: number, server: StoreServer): string {
  const name = quoteName(server.schema);
  const where = escapeLiteral(
    `${storeName(server)} is of an older version, and workers of it live: `,
  );
  const other = escapeLiteral(`${storeName(server)} is not of version ${version} any more`);
  return doBlock(`declare
  living text;
begin
  if (select value from ${name}.meta where name = '${versionName}') is distinct from '${version}' then
    ${raise(other, "ask `sluice store migrate --ddl` once more for what is left to run")}
  end if;
  select string_agg(format('process %s of sluice %s on host %s', process, version, host), ', ') into living from (
    ${livingSql(name)} limit ${workersNamedMax}) one;
  if living is not null then
    ${raise(`${where} || living`, stopHint)}
  end if;
  ${lockSql(name)};
end`);
}

/** What a migration did. */
export type Migrated = { readonly from: number; readonly to: number };

/**
 * Brings the schema to the version that this sluice knows, in one transaction.
 * @throws {ConfigError} it is of a newer sluice, or the role lacks rights. @throws {StateUnavailableError}
 * @throws {BusyError} workers of the older version live.
 */
export async function migrateStore(server: StoreServer): Promise<Migrated> {
  return await withClient(server, async (client) => {
    for (const statement of beginning) await client.query(statement);
    // Not among those that are printed: a person may look at them in the middle.
    await client.query(endsWhereSilent);
    const found = await find(client, server);
    const isOlder = found.version > 0 && found.version < storeSteps.length;
    if (isOlder) await keepOthersOut(client, server);
    for (const statement of statementsFrom(found, server)) await client.query(statement);
    await client.query("commit");
    return { from: found.version, to: storeSteps.length };
  });
}

/**
 * The statements that `migrateStore` would run now, as one transaction for somebody else to run: it takes the same
 * locks, and refuses what `migrateStore` refuses. Empty if there is nothing to do.
 */
export async function pendingStatements(server: StoreServer): Promise<readonly string[]> {
  return await withClient(server, async (client) => {
    const found = await find(client, server);
    const statements = statementsFrom(found, server);
    if (statements.length === 0) return [];
    const guard = found.version > 0 ? [guardSql(found.version, server)] : [];
    return [...beginning, ...guard, ...statements, "commit"];
  });
}

/** What to do if a store does not have the name that it was to be renamed from. */
function hintOfName(known: string | undefined, { project }: StoreServer): string {
  if (known === undefined) return "the first command that opens it makes it that of this project";
  if (known === project) return "this is that project: nothing is to be renamed";
  return `where that is this project's old name: \`sluice store rename --from ${known}\``;
}

/**
 * Renames the project of a store from `from` to the name of this project.
 * @throws {ConfigError} it does not belong to a project of that name.
 */
export async function renameProject(server: StoreServer, from: string): Promise<void> {
  await withClient(server, async (client) => {
    const name = quoteName(server.schema);
    const { rowCount } = await client.query(
      `update ${name}.meta set value = $3 where name = $1 and value = $2`,
      [projectName, from, server.project],
    );
    if (rowCount === 1) return;
    const { rows } = await client.query<{ readonly value: string }>(
      `select value from ${name}.meta where name = $1`,
      [projectName],
    );
    const known = rows[0]?.value;
    throw new ConfigError(
      `${storeName(server)} is that of ${known ?? "no project yet"}, not of ${from}`,
      {
        field: "store.project",
        hint: hintOfName(known, server),
      },
    );
  });
}

/** SQLSTATEs of a name that is taken, and of a table that is not like ours. */
const ofOthers: ReadonlySet<string | undefined> = new Set(["42P07", "42703"]);

/** The error for a schema in which somebody else has tables of the same names. */
function othersTablesError(error: unknown, server: StoreServer): ConfigError | undefined {
  if (!ofOthers.has(sqlStateOf(error))) return undefined;
  return new ConfigError(
    `${storeName(server)}: there are tables that are not the store's: ${messageOf(error)}`,
    { field: "store.schema", hint: "name a schema of its own, which `sluice store migrate` makes" },
  );
}

async function withClient<Result>(
  server: StoreServer,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ ...clientOf(server), application_name: "sluice store migrate" });
  // A client without this listener ends the process when its connection is lost between two statements.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw othersTablesError(error, server) ?? asStoreError(error, server);
  } finally {
    await client.end().catch((error: unknown) => void messageOf(error));
  }
}
