import { z } from "zod";

import { sqlStateOf } from "../../src/postgres/errors.ts";
import { quoteName } from "../../src/postgres/names.ts";
import type { ReadLimit } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { textIn, withSession, type Session, type TextRow } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { beforePreparedMs, futureCountMs, futureRowsMax } from "./limits.ts";
import {
  aheadMs,
  clockWentBackMs,
  isAheadUnexplained,
  isOtherTable,
  overlapMs,
  type PostgresPosition,
} from "./position.ts";
import {
  describeSource,
  hasNoZone,
  isZoneGuessed,
  type ChangeColumn,
  type PostgresSource,
} from "./source.ts";

const lateCommits = "rows that are committed late are found up to the overlap only";

/**
 * How far a run may read: to the server's clock. The next run begins at the oldest transaction that may still commit.
 */
export async function readLimitOfPostgres(
  request: ConnectorRequest<PostgresConfig> & { readonly since?: PostgresPosition | undefined },
): Promise<ReadLimit<PostgresPosition>> {
  return await withSession(request, async (session) => {
    const source = await describeSource(session, request.config);
    const { changed } = source;
    if (changed === undefined) return {};
    if (changed.kind === "number") {
      return { warnings: [`${changed.name} is a number, not a time: ${lateCommits}`] };
    }
    // The clock is read first: a transaction that begins later can stamp nothing before it.
    const { isStandby, ...clock } = await clockOf(session, changed, source.zone.name);
    const table = source.oid === undefined ? {} : { table: source.oid };
    const to = { of: source.reading, ...clock, ...table };
    const { oldestOpen, warnings = [] } = await openTransactions(session, changed, source);
    const future = await countFuture(session, source, isStandby ? clock.changed : undefined);
    const uncounted =
      `rows stamped in the future were not counted within ${futureCountMs / 1_000} s: index ` +
      changed.name;
    return {
      to,
      oldestOpen,
      future,
      warnings: [
        ...warnings,
        ...(future === undefined ? [uncounted] : []),
        ...(isZoneGuessed(source) ? [guessedZone(changed, source.zone.name)] : []),
        ...(request.since === undefined ? [] : clockWarnings(request.since, to)),
      ],
      whyOther: request.since === undefined ? undefined : whyOther(source, request.since, to),
    };
  });
}

/**
 * Why transactions of others cannot be seen, or undefined when they can. A role sees those of roles it is a member of;
 * `pg_read_all_stats` sees all. A role with `track_activities` off does not show when its transactions began.
 */
export async function hiddenTransactions(
  session: Session,
  { from }: Pick<PostgresSource, "from">,
): Promise<string | undefined> {
  const [row] = await session.query(
    `select pg_is_in_recovery() as is_standby,
       exists (select from pg_stat_activity
         where datname = current_database() and usesysid is not null
           and not pg_has_role(usesysid, 'usage') and not pg_has_role('pg_read_all_stats', 'usage')) as is_hidden,
       (select min(usename) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state = 'disabled') as untracked`,
  );
  const { is_standby: isStandby, is_hidden: isHidden, untracked = null } = row ?? {};
  if (isStandby === "t") {
    return `a standby does not show the transactions of its primary: ${lateCommits}`;
  }
  const plan = await planOf(session, from);
  if (plan.includes('"Node Type": "Foreign Scan"')) {
    return `the server behind a foreign table does not show its transactions: ${lateCommits}`;
  }
  if (await isSubscribed(session, plan)) {
    return `a subscription brings these rows, and does not show the transactions of their server: ${lateCommits}`;
  }
  if (isHidden === "t") {
    return `this role may not see the transactions of others (grant pg_read_all_stats to it): ${lateCommits}`;
  }
  if (untracked === null) return undefined;
  return `transactions of role ${untracked} cannot be seen (its track_activities is off): ${lateCommits}`;
}

/** How rows are read, as JSON: a view or a partition may hide where they come from, but a plan does not. */
async function planOf(session: Session, from: string): Promise<string> {
  const [plan] = await session.query(`explain (verbose, format json) select * from ${from}`);
  return textIn(plan, "QUERY PLAN");
}

const scan = z.object({ Schema: z.string(), "Relation Name": z.string() });

/** Whether logical replication brings the rows of a table that a plan reads, or of one that has it as a partition. */
async function isSubscribed(session: Session, plan: string): Promise<boolean> {
  const scanned: z.output<typeof scan>[] = [];
  JSON.parse(plan, (_, value: unknown) => {
    const found = scan.safeParse(value);
    if (found.success) scanned.push(found.data);
    return value;
  });
  const [row] = await session.query(
    `with recursive read as (
       select c.oid from unnest($1::text[], $2::text[]) as scanned (schema, name)
         join pg_namespace n on n.nspname = scanned.schema
         join pg_class c on c.relnamespace = n.oid and c.relname = scanned.name
       union
       select i.inhparent from read join pg_inherits i on i.inhrelid = read.oid
         join pg_class c on c.oid = i.inhrelid and c.relispartition)
     select from read join pg_subscription_rel s on s.srrelid = read.oid limit 1`,
    [scanned.map((each) => each.Schema), scanned.map((each) => each["Relation Name"])],
  );
  return row !== undefined;
}

/**
 * Now, as the change column would hold it: a time without a zone is in the one zone of the source, and it is rounded as
 * the column rounds, so that no row stamped later comes before it.
 */
export function nowAs({ type, modifier }: ChangeColumn, now: string): string {
  const rounded = modifier < 0 ? type : type.replace("timestamp", `timestamp(${modifier})`);
  const local = type === "timestamp with time zone" ? now : `(${now} at time zone $1)`;
  return `${local}::${rounded}`;
}

/** The parameter that `nowAs` takes, if any. */
export function zoneFor(changed: ChangeColumn, zone: string): readonly string[] {
  return hasNoZone(changed) ? [zone] : [];
}

/** The warning about times without a zone, as long as nobody says which zone they are in. */
export function guessedZone({ name }: Pick<ChangeColumn, "name">, zone: string): string {
  return `${name} has no time zone and \`time_zone\` is not set: it is taken for ${zone}, the server's own`;
}

/** The message that a table was swapped for another one of its name. */
function otherTable({ place }: PostgresSource): string {
  return `${place} is another table than the last run read: it was made anew, or another was given its name`;
}

/** Why a checkpoint says nothing of this reading; undefined if it does, as far as its table and its time show. */
function whyOther(
  source: PostgresSource,
  since: PostgresPosition,
  to: PostgresPosition,
): string | undefined {
  if (isOtherTable(since, to)) return otherTable(source);
  if (!isAheadUnexplained(since, to)) return undefined;
  const ahead = spanText(aheadMs(since, to));
  return `the checkpoint is ${ahead} ahead of the server's clock: the clock went back, or the zone was another`;
}

/** A run's warnings about the server's clock, compared with the checkpoint's. */
function clockWarnings(since: PostgresPosition, to: PostgresPosition): readonly string[] {
  const backMs = clockWentBackMs(since, to);
  if (backMs === 0 || isAheadUnexplained(since, to)) return [];
  const text = `the server's clock went back by ${spanText(backMs)} since the last run, or this machine's forward`;
  return [`${text}: this run goes back as far, so that no row stamped meanwhile is passed over`];
}

/** A span of time for a person: `45 min`, `9.5 h`. */
export function spanText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
}

/**
 * A standby has only the rows that were replayed, however late it follows. A primary that was a standby still knows the
 * time of its last replay, so that is used on a standby only.
 */
export const presentSql = `case when pg_is_in_recovery()
  then least(clock_timestamp(), pg_last_xact_replay_timestamp()) else clock_timestamp() end`;

/** The server's present: rows stamped later are not read. */
async function clockOf(
  session: Session,
  changed: ChangeColumn,
  zone: string,
): Promise<{ readonly changed: string; readonly clock: number; readonly isStandby: boolean }> {
  const [row] = await session.query(
    `select ${nowAs(changed, presentSql)} as now, round(extract(epoch from clock_timestamp()) * 1000) as ms,
       pg_is_in_recovery() as is_standby`,
    zoneFor(changed, zone),
  );
  return {
    changed: textIn(row, "now"),
    clock: Number(textIn(row, "ms")) - Date.now(),
    isStandby: row?.["is_standby"] === "t",
  };
}

async function openTransactions(
  session: Session,
  changed: ChangeColumn,
  source: PostgresSource,
): Promise<Pick<ReadLimit<PostgresPosition>, "oldestOpen" | "warnings">> {
  const { reading: of, zone, overlap } = source;
  const parameters = zoneFor(changed, zone.name);
  // Nobody knows any more when a prepared transaction began, only when it was prepared; most are within the hour.
  const [row] = await session.query(
    `select ${nowAs(changed, "min(began)")} as began from (
       select xact_start as began from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type is distinct from 'autovacuum worker'
       union all
       select prepared - $${parameters.length + 1}::interval from pg_prepared_xacts
       where database = current_database()) as transactions`,
    [...parameters, `${Math.max(overlapMs(overlap), beforePreparedMs)} milliseconds`],
  );
  const began = row?.["began"] ?? null;
  const hidden = await hiddenTransactions(session, source);
  return {
    oldestOpen: began === null ? undefined : { of, changed: began },
    warnings: hidden === undefined ? [] : [hidden],
  };
}

/**
 * Counts up to `futureRowsMax`; undefined where that takes longer than a run that opens may wait. On a standby from its
 * present on, which comes no further while its primary does nothing: until then, no run reads these rows.
 */
async function countFuture(
  session: Session,
  { changed, from, zone }: PostgresSource,
  presentOfStandby: string | undefined,
): Promise<number | undefined> {
  if (changed === undefined) return undefined;
  const name = quoteName(changed.name);
  const zones = zoneFor(changed, zone.name);
  // Its present may have come further meanwhile; by the one that is known, the server can choose an index.
  const [isLater, values] =
    presentOfStandby === undefined
      ? [`${name} > ${nowAs(changed, "now()")}`, zones]
      : [
          `${name} >= $${zones.length + 1}::${changed.type} and ${name} >= (select ${nowAs(changed, presentSql)})`,
          [...zones, presentOfStandby],
        ];
  const rows = `select from ${from} where ${isLater}`;
  const sql = `select count(*) from (${rows} limit ${futureRowsMax}) as future`;
  const row = await brieflyAsked(session, [sql, values]);
  return row && Number(row["count"]);
}

/**
 * The row of a query over the rows of a source, within `ms`, however long the session's statements may take; undefined
 * where that is too short.
 */
export async function brieflyAsked(
  session: Session,
  query: Parameters<Session["query"]>,
  ms = futureCountMs,
): Promise<TextRow | undefined> {
  const set = `select set_config('statement_timeout', least(nullif(setting::int, 0), $1::int)::text, false), setting
    from pg_settings where name = 'statement_timeout'`;
  const [row] = await session.query(set, [String(ms)]);
  try {
    const [answer] = await session.query(...query);
    return answer;
  } catch (error) {
    if (sqlStateOf(error) === "57014") return undefined;
    throw error;
  } finally {
    await session
      .query("select set_config('statement_timeout', $1, false)", [textIn(row, "setting")])
      .catch(() => undefined);
  }
}
