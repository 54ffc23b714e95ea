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
  read: async function* read(request) {
    const { readPostgres } = await asking();
    yield* readPostgres(request);
  },
  restart: (config) => (config.changed_by === undefined ? "each-run" : "resume"),
  check: async (request) => await (await asking()).checkPostgres(request),
  discover: async (request) => await (await asking()).discoverPostgres(request),
  columns: async (request) => {
    const { columnNames, withSession } = await asking();
    return await withSession(
      request,
      async (session) => await columnNames(session, request.config),
    );
  },
  recognize: async (request) => await (await asking()).recognizePostgres(request),
  whyNoCells: async () => await Promise.resolve(undefined),
  readLimit: async (request) => await (await asking()).readLimitOfPostgres(request),
  rewind: rewindPostgres,
  at: positionAt,
  before: async (request) => await (await asking()).beforePostgres(request),
  measure: async (request) => await (await asking()).measurePostgres(request),
  split: async (request) => await (await asking()).splitPostgres(request),
  repeats: async (request) => await (await asking()).repeatsInPostgres(request),
  get: async (request) => await (await asking()).getFromPostgres(request),
  write: async (request) => await (await asking()).writePostgres(request),
  checkWrite: async (request) => await (await asking()).checkWritePostgres(request),
  ddl: ddlOf,
});
