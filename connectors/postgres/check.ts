import { messageOf, SluiceError, SourceAuthError } from "../../src/errors.ts";
import { addressOf, isLocal } from "../../src/postgres/address.ts";
import { quoteName, quoteNames } from "../../src/postgres/names.ts";
import type { ConnectorRequest, Finding } from "../contract/request.ts";
import { withSession, type Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { smallTableBytes } from "./limits.ts";
import { checkStamps } from "./newest.ts";
import { hiddenTransactions } from "./read-limit.ts";
import { assertNoNull, describeSource, type PostgresSource, type SourceColumn } from "./source.ts";
import { quoteTable, parseTable, shownColumns } from "./sql/identifier.ts";

/**
 * Checks a connection step by step, and stops where the next step makes no sense. For a connection that names no table,
 * only the login and the role are checked.
 */
export async function checkPostgres(
  request: ConnectorRequest<PostgresConfig>,
): Promise<readonly Finding[]> {
  const { config } = request;
  const findings: Finding[] = [];
  try {
    await withSession(request, async (session) => {
      findings.push(...(await checkSession(session, config)));
      if (config.table !== undefined || config.query !== undefined) {
        for await (const finding of checkSource(session, config)) findings.push(finding);
      }
      findings.push(await checkGrants(session));
    });
  } catch (error) {
    const [name, passed] = findings.length === 0 ? connectStep(error) : sourceStep(error);
    const done = new Set(findings.map((finding) => finding.name));
    findings.push(
      ...passed.filter((step) => !done.has(step)).map((step) => ({ name: step, ok: true })),
    );
    const hint = error instanceof SluiceError ? error.hint : undefined;
    const fix = hint ?? "Read it with psql as the same role: what Postgres says there says more.";
    findings.push({ name, ok: false, detail: messageOf(error), fix });
  }
  return findings;
}

type FailedStep = readonly [name: string, passed: readonly string[]];

/** The step at which a connection failed, and the steps before it. */
function connectStep(error: unknown): FailedStep {
  if (error instanceof SourceAuthError) return ["login", ["reachable", "TLS"]];
  const field = error instanceof SluiceError ? error.field : undefined;
  if (field === "ca_file") return ["TLS", []];
  return field === "tls" ? ["TLS", ["reachable"]] : ["reachable", []];
}

/** The same for the source, by the member that is at fault. */
function sourceStep(error: unknown): FailedStep {
  const field = error instanceof SluiceError ? error.field : undefined;
  if (field?.startsWith("changed_by") === true)
    return ["change column", ["table", "columns", "key"]];
  if (field === "key") return ["key", ["table", "columns"]];
  return field === "query" ? ["columns", []] : ["table", []];
}

async function checkSession(session: Session, config: PostgresConfig): Promise<readonly Finding[]> {
  const { host, port } = addressOf(config);
  const [row] = await session.query(
    "select current_user as role, current_database() as database, current_setting('server_version') as version",
  );
  return [
    { name: "reachable", ok: true, detail: `${host}:${port}` },
    { name: "TLS", ok: true, detail: tlsOf(config) },
    {
      name: "login",
      ok: true,
      detail: `${row?.["role"]} at ${row?.["database"]}, Postgres ${row?.["version"]}`,
    },
  ];
}

function tlsOf(config: PostgresConfig): string {
  const { host, tls } = addressOf(config);
  if (tls === "verify-full") return "verify-full: the server's certificate and name are checked";
  if (tls === "require") {
    return "warning: require checks no certificate, so anyone in between can pose as the server";
  }
  return isLocal(host)
    ? "off: the server is on this host"
    : "warning: off, so rows can be read on their way";
}

/** @throws {ConfigError} with the member at fault: `sourceStep` says which step that is. */
async function* checkSource(session: Session, config: PostgresConfig): AsyncGenerator<Finding> {
  const source = await describeSource(session, config);
  await assertNoNull(session, source);
  yield await checkTable(session, source);
  yield { name: "columns", ok: true, detail: columnsOf(source) };
  const names = source.key.map(({ name }) => name).join(", ");
  const promise = source.mayHoldNull
    ? "never null; that it is unique is for the query or view to see to"
    : "unique, never null";
  yield { name: "key", ok: true, detail: `${names}: ${promise}` };
  const { changed, order } = source;
  if (changed === undefined) return;
  const { name, type, kind } = changed;
  yield { name: "change column", ok: true, detail: `${name} (${type})` };
  for (const finding of await checkStamps(session, source)) yield finding;
  if (!source.mayHoldNull) yield await checkIndex(session, { changed, order }, config);
  const hidden = kind === "time" ? await hiddenTransactions(session, source) : undefined;
  const detail = hidden === undefined ? "those of other sessions are seen" : `warning: ${hidden}`;
  yield { name: "open transactions", ok: true, detail };
}

/** A row that a policy hides is not there for a run, which cannot know of it. */
async function checkTable(session: Session, { oid, place }: PostgresSource): Promise<Finding> {
  const name = "table";
  if (oid === undefined) return { name, ok: true, detail: place };
  const [row] = await session.query("select row_security_active($1::oid) as is_active", [oid]);
  if (row?.["is_active"] !== "t") return { name, ok: true, detail: place };
  const detail = `warning: policies of ${place} decide which rows this role sees, and no others are sent`;
  return { name, ok: true, detail };
}

function columnsOf({ columns }: PostgresSource): string {
  return shownColumns(columns.map(({ name, type }) => `${name} ${type}`));
}

/** Without an index each page of a run sorts the whole table. */
async function checkIndex(
  session: Session,
  { changed, order }: { readonly changed: SourceColumn; readonly order: readonly SourceColumn[] },
  config: PostgresConfig,
): Promise<Finding> {
  const name = "index on the change column";
  const table = quoteTable(parseTable(config.table ?? "") ?? { table: "" });
  const [row] = await session.query(
    `with recursive tree as (
       select $1::regclass::oid as oid
       union select i.inhrelid from tree join pg_inherits as i on i.inhparent = tree.oid)
     select exists (
       select from pg_index as i join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where i.indrelid = $1::regclass and i.indisvalid and i.indpred is null and a.attname = $2) as is_indexed,
     (select sum(pg_table_size(oid)) from tree) <= $3 as is_small`,
    [table, changed.name, smallTableBytes],
  );
  if (row?.["is_indexed"] === "t") return { name, ok: true };
  if (row?.["is_small"] === "t") return { name, ok: true, detail: "none, and the table is small" };
  const columns = quoteNames(order.map((column) => column.name));
  return {
    name,
    // It costs time and loses nothing.
    ok: true,
    detail: `warning: no index begins with ${quoteName(changed.name)}, so each page sorts the whole table`,
    fix: `create index concurrently on ${table} (${columns});`,
  };
}

/** Grants are the protection against writing; the read-only session is only a second one (docs/facts/threats.md#t5). */
async function checkGrants(session: Session): Promise<Finding> {
  const [row] = await session.query(
    `select rolsuper, (
       select count(*) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema')
         and (has_any_column_privilege(c.oid, 'insert, update') or has_table_privilege(c.oid, 'delete, truncate'))
     ) as tables from pg_roles where rolname = current_user`,
  );
  const name = "grants";
  const advice = "reading needs select alone, so give it a role of its own";
  if (row?.["rolsuper"] === "t") {
    return { name, ok: true, detail: `warning: the role is a superuser; ${advice}` };
  }
  const tables = Number(row?.["tables"]);
  if (tables === 0) return { name, ok: true, detail: "the role may write no table" };
  const may = `the role may also write ${tables} ${tables === 1 ? "table" : "tables"}`;
  return { name, ok: true, detail: `warning: ${may}; unless it is for a write-back, ${advice}` };
}
