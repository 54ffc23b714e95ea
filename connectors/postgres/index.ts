import { pullSource } from "../contract/connector.ts";
import { postgresConfig } from "./config.ts";
import { positionAt, postgresPosition, rewindPostgres } from "./position.ts";
import { ddlOf } from "./sql/ddl.ts";

const asking = async () => await import("./asking.ts");

/**
 * Reads a table or a query of a Postgres database: what changed since the last run, or all of it in each run.
 * Writes back into a table.
 */
export const postgres = pullSource({
  name: "postgres",
  config: postgresConfig,
  position: postgresPosition,
  read: async function* read(ask) {
    const { readPostgres } = await asking();
    yield* readPostgres(ask);
  },
  restart: (config) => (config.changed_by === undefined ? "each-run" : "resume"),
  check: async (ask) => await (await asking()).checkPostgres(ask),
  discover: async (ask) => await (await asking()).discoverPostgres(ask),
  columns: async (ask) => {
    const { columnNames, withSession } = await asking();
    return await withSession(ask, async (session) => await columnNames(session, ask.config));
  },
  recognize: async (ask) => await (await asking()).recognizePostgres(ask),
  readLimit: async (ask) => await (await asking()).readLimitOfPostgres(ask),
  rewind: rewindPostgres,
  at: positionAt,
  before: async (ask) => await (await asking()).beforePostgres(ask),
  measure: async (ask) => await (await asking()).measurePostgres(ask),
  split: async (ask) => await (await asking()).splitPostgres(ask),
  repeats: async (ask) => await (await asking()).repeatsInPostgres(ask),
  get: async (ask) => await (await asking()).getFromPostgres(ask),
  write: async (ask) => await (await asking()).writePostgres(ask),
  checkWrite: async (ask) => await (await asking()).checkWritePostgres(ask),
  ddl: ddlOf,
});
