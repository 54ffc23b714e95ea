import type { Ask } from "../ask.ts";
import type { Horizon } from "../connector.ts";
import { textIn, withSession, type Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { sqlStateOf } from "./errors.ts";
import { quoteName } from "./identifier.ts";
import { futureCountMs, futureRowsMax } from "./limits.ts";
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
    const { held, warnings = [] } = await openTransactions(session, changed, ask.config);
    const future = await countFuture(session, source, changed);
    const uncounted = `rows stamped in the future were not counted within ${futureCountMs / 1_000} s: index ${changed.name}`;
    return {
      to,
      held,
      future,
      warnings: future === undefined ? [...warnings, uncounted] : warnings,
    };
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

/**
 * Now, as the change column would hold it: a time without a zone in the server's own, and rounded as the column rounds, which keeps
 * what was stamped later from standing before it.
 */
function nowAs({ type, modifier }: ChangeColumn, now: string): string {
  const rounded = modifier < 0 ? type : type.replace("timestamp", `timestamp(${modifier})`);
  const local = type === "timestamp with time zone" ? now : `(${now} at time zone $1)`;
  return `${local}::${rounded}`;
}

function zoneFor({ type }: ChangeColumn, session: Session): readonly string[] {
  return type === "timestamp with time zone" ? [] : [session.serverTimeZone];
}

/** On a standby only what was replayed is there, however late it follows; as a primary it would still know when that was. */
const present = `case when pg_is_in_recovery()
  then least(clock_timestamp(), pg_last_xact_replay_timestamp()) else clock_timestamp() end`;

/** The server's present: what is stamped later is not read. */
async function clockOf(session: Session, changed: ChangeColumn): Promise<string> {
  const [row] = await session.query(
    `select ${nowAs(changed, present)} as now`,
    zoneFor(changed, session),
  );
  return textIn(row, "now");
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

/** Up to `futureRowsMax`; undefined where that takes longer than a run that opens may wait. */
async function countFuture(
  session: Session,
  { from }: PostgresSource,
  changed: ChangeColumn,
): Promise<number | undefined> {
  const rows = `select from ${from} where ${quoteName(changed.name)} > ${nowAs(changed, "now()")}`;
  await session.query(
    `select set_config(name, least(setting::int, $1::int)::text, false) from pg_settings
     where name = 'statement_timeout'`,
    [String(futureCountMs)],
  );
  try {
    const [row] = await session.query(
      `select count(*) from (${rows} limit ${futureRowsMax}) as future`,
      zoneFor(changed, session),
    );
    return Number(row?.["count"]);
  } catch (error) {
    if (sqlStateOf(error) === "57014") return undefined;
    throw error;
  }
}
