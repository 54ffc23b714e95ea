import type { Ask, Horizon } from "../connector.ts";
import { withSession, type Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { quoteName } from "./identifier.ts";
import { overlapMs, readingOf, type PostgresPosition } from "./position.ts";
import { describeSource, type ChangeColumn, type PostgresSource } from "./source.ts";

const lateCommits = "rows that are committed late are found up to the overlap only";

/** How far a run may read: to the server's clock, and the next one from the oldest transaction that may still commit. */
export async function horizonOfPostgres(
  ask: Ask<PostgresConfig>,
): Promise<Horizon<PostgresPosition>> {
  return await withSession(ask, async (session) => {
    const source = await describeSource(session, ask.config);
    const { changed } = source;
    if (changed === undefined) return {};
    if (changed.kind === "number") {
      return { warnings: [`${changed.name} is a number, not a time: ${lateCommits}`] };
    }
    // The clock first: a transaction that begins after it can stamp nothing before it.
    const to = { of: source.reading, changed: await clockOf(session, changed) };
    const { held, warnings } = await openTransactions(session, changed, ask.config);
    return { to, held, future: await countFuture(session, source, changed), warnings };
  });
}

/**
 * Why transactions of others cannot be seen, or undefined when they can. A role sees those of roles it is a member of; `pg_read_all_stats`
 * sees all.
 */
export async function hiddenTransactions(session: Session): Promise<string | undefined> {
  const [row] = await session.query(
    `select pg_is_in_recovery() as is_standby,
       exists (select from pg_stat_activity
         where datname = current_database() and usesysid is not null
           and not pg_has_role(usesysid, 'usage') and not pg_has_role('pg_read_all_stats', 'usage')) as is_hidden`,
  );
  if (row?.["is_standby"] === "t") {
    return `a standby does not show the transactions of its primary: ${lateCommits}`;
  }
  if (row?.["is_hidden"] !== "t") return undefined;
  return `this role may not see the transactions of others (grant pg_read_all_stats to it): ${lateCommits}`;
}

/** Now, as a value of the change column; a time without a zone is in the server's own. */
function nowAs({ type }: ChangeColumn, now: string): string {
  return type === "timestamp with time zone" ? now : `(${now} at time zone $1)::${type}`;
}

function zoneFor({ type }: ChangeColumn, session: Session): readonly string[] {
  return type === "timestamp with time zone" ? [] : [session.serverTimeZone];
}

async function clockOf(session: Session, changed: ChangeColumn): Promise<string> {
  const [row] = await session.query(
    `select ${nowAs(changed, "clock_timestamp()")} as now`,
    zoneFor(changed, session),
  );
  return row?.["now"] ?? "";
}

async function openTransactions(
  session: Session,
  changed: ChangeColumn,
  config: PostgresConfig,
): Promise<Pick<Horizon<PostgresPosition>, "held" | "warnings">> {
  const parameters = zoneFor(changed, session);
  // When a prepared transaction began nobody knows any more, only when it was prepared.
  const [row] = await session.query(
    `select ${nowAs(changed, "min(began)")} as began from (
       select xact_start as began from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type is distinct from 'autovacuum worker'
       union all
       select prepared - $${parameters.length + 1}::interval from pg_prepared_xacts
       where database = current_database()) as transactions`,
    [...parameters, `${overlapMs(config.changed_by?.overlap)} milliseconds`],
  );
  const began = row?.["began"] ?? null;
  const hidden = await hiddenTransactions(session);
  return {
    held: began === null ? undefined : { of: readingOf(config), changed: began },
    warnings: hidden === undefined ? [] : [hidden],
  };
}

async function countFuture(
  session: Session,
  { from }: PostgresSource,
  changed: ChangeColumn,
): Promise<number> {
  const [row] = await session.query(
    `select count(*) from ${from} where ${quoteName(changed.name)} > ${nowAs(changed, "now()")}`,
    zoneFor(changed, session),
  );
  return Number(row?.["count"]);
}
