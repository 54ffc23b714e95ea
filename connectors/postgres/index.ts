import { pullSource } from "../contract/connector.ts";
import { beforePostgres } from "./before.ts";
import { checkWritePostgres } from "./check-write.ts";
import { checkPostgres } from "./check.ts";
import { withSession } from "./client.ts";
import { postgresConfig } from "./config.ts";
import { discoverPostgres } from "./discover.ts";
import { getFromPostgres } from "./get.ts";
import { measurePostgres, splitPostgres } from "./measure.ts";
import { positionAt, postgresPosition, rewindPostgres } from "./position.ts";
import { readLimitOfPostgres } from "./read-limit.ts";
import { readPostgres } from "./read.ts";
import { recognizePostgres } from "./recognize.ts";
import { repeatsInPostgres } from "./repeats.ts";
import { columnNames } from "./source.ts";
import { ddlOf } from "./sql/ddl.ts";
import { writePostgres } from "./write.ts";

/**
 * Reads a table or a query of a Postgres database: what changed since the last run, or all of it in each run.
 * Writes back into a table.
 */
export const postgres = pullSource({
  name: "postgres",
  config: postgresConfig,
  position: postgresPosition,
  read: readPostgres,
  restart: (config) => (config.changed_by === undefined ? "each-run" : "resume"),
  check: checkPostgres,
  discover: discoverPostgres,
  columns: async (ask) =>
    await withSession(ask, async (session) => await columnNames(session, ask.config)),
  recognize: recognizePostgres,
  readLimit: readLimitOfPostgres,
  rewind: rewindPostgres,
  at: positionAt,
  before: beforePostgres,
  measure: measurePostgres,
  split: splitPostgres,
  repeats: repeatsInPostgres,
  get: getFromPostgres,
  write: writePostgres,
  checkWrite: checkWritePostgres,
  ddl: ddlOf,
});
