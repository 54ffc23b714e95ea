import { addressOf } from "../../src/postgres/address.ts";
import { sqlStateOf } from "../../src/postgres/errors.ts";
import { quoteName } from "../../src/postgres/names.ts";
import type { Recognition } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { textIn, withSession, type Session, type TextRow } from "./client.ts";
import { type ColumnOrder, orderDifference, orderNow } from "./column-order.ts";
import type { PostgresConfig } from "./config.ts";
import { differenceOf, postgresIdentity, rememberedOf, shownSighting } from "./identity.ts";
import type { PostgresIdentity, Sighting } from "./identity.ts";
import { greatestMs } from "./limits.ts";
import { lowestRead, type PostgresPosition } from "./position.ts";
import { brieflyAsked } from "./read-limit.ts";
import { describeSource } from "./source.ts";

/** Compares this database with the one that was read before, by the facts that the server reports about itself. */
export async function recognizePostgres(
  request: ConnectorRequest<PostgresConfig> & {
    readonly known?: unknown;
    readonly position?: PostgresPosition | undefined;
    readonly isWritten?: boolean | undefined;
  },
): Promise<Recognition> {
  return await withSession(request, async (session) => {
    const { config, position, isWritten = false } = request;
    const found: Sighting = {
      ...(await sightingOf(session, config)),
      ahead: await checkpointAhead(session, config, position),
    };
    // An identity that an older sluice kept in another form means nothing.
    const known = postgresIdentity.safeParse(request.known).data;
    const remembered = rememberedOf(known, found);
    const shown = shownSighting(found);
    const differs = known && differenceOf(known, found);
    // A copy need not have the table; a person who says that it is the same has not said that of its columns.
    if (differs !== undefined)
      return { identity: withOrder(remembered, known?.order), shown, differs };
    // A table that is only written need not have the change column of its connection.
    const order = isWritten ? undefined : await orderNow(session, config);
    const isOtherwise = orderDifference(known?.order, order);
    const beginsAnew = isOtherwise !== undefined;
    return { identity: withOrder(remembered, order), shown, differs: isOtherwise, beginsAnew };
  });
}

function withOrder(
  identity: Omit<PostgresIdentity, "order">,
  order: ColumnOrder | undefined,
): Recognition["identity"] {
  return order === undefined ? identity : { ...identity, order };
}

async function sightingOf(
  session: Session,
  config: PostgresConfig,
): Promise<Omit<Sighting, "ahead">> {
  const [named] = await session.query(
    "select datname as database, oid from pg_database where datname = current_database()",
  );
  const control = await unlessRefused(session, "select system_identifier from pg_control_system()");
  const log = await unlessRefused(
    session,
    `select pg_current_wal_flush_lsn() as wal, pg_walfile_name(pg_current_wal_lsn()) as file,
      pg_last_wal_replay_lsn() as fork
     where not pg_is_in_recovery()`,
  );
  const { host, port } = addressOf(config);
  return {
    system: control?.["system_identifier"] ?? null,
    database: textIn(named, "database"),
    oid: textIn(named, "oid"),
    address: `${host.toLowerCase()}:${port}`,
    // The name of a file of the log begins with its timeline.
    timeline: log === undefined ? null : Number.parseInt(textIn(log, "file").slice(0, 8), 16),
    wal: log?.["wal"] ?? null,
    fork: log?.["fork"] ?? null,
  };
}

/**
 * The row of a statement; undefined where there is none, the role may not ask, or the server does not know
 * what is asked.
 */
async function unlessRefused(session: Session, sql: string): Promise<TextRow | undefined> {
  try {
    const [row] = await session.query(sql);
    return row;
  } catch (error) {
    // 42: syntax or access; 0A: not supported here; 55: not in this state, as when a standby is asked.
    if (/^(?:42|0A|55)/.test(sqlStateOf(error) ?? "")) return undefined;
    throw error;
  }
}

/**
 * The checkpoint, where it is a number and so far above the greatest one of the column that new rows would be skipped;
 * null where it is not, where there are no rows, or where the query takes longer than a run that opens may wait.
 */
async function checkpointAhead(
  session: Session,
  config: PostgresConfig,
  position: PostgresPosition | undefined,
): Promise<string | null> {
  const lowest = position && lowestRead(config, position);
  if (lowest === undefined || config.changed_by === undefined) return null;
  const { changed, from } = await describeSource(session, config);
  if (changed?.kind !== "number") return null;
  const sql = `select max(${quoteName(changed.name)}) < $1::numeric as is_ahead from ${from}`;
  const row = await brieflyAsked(session, [sql, [lowest]], greatestMs);
  return row?.["is_ahead"] === "t" ? positionText(position) : null;
}

function positionText(position: PostgresPosition | undefined): string | null {
  return position !== undefined && "changed" in position ? position.changed : null;
}
