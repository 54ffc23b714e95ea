import { ConfigError, RetryLater, type Finding } from "sluice/connector";

import type { Config } from "./config.ts";
import { quoted, withDatabase } from "./database.ts";
import type { Abilities } from "./read.ts";

/** How `changed` has to be written, so that the order of texts is the order of times. */
const timeForm = "????-??-??T??:??:??.??????Z";

/** `sluice check`: reports step by step what is right and what is wrong, and what to do; never throws for a finding. */
export const check: NonNullable<Abilities["check"]> = async ({ config }) => {
  try {
    // Yours to change: the smallest thing that fails when a run would.
    return [{ name: "table", ok: true, detail: config.table }, rowsFinding(config)];
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof RetryLater)) throw error;
    const { message, hint: fix = "try again in a moment" } = error;
    return [{ name: "table", ok: false, detail: message, fix }];
  }
};

/** Whether every row can be put in order. */
function rowsFinding(config: Config): Finding {
  const wrong = withDatabase(config, (database) => {
    const from = quoted(config.table);
    const sql = `select count(*) as wrong from ${from} where id is null or (changed glob ?) is not true`;
    return Number(database.prepare(sql).get(timeForm)?.["wrong"]);
  });
  if (wrong === 0) return { name: "rows", ok: true };
  return {
    name: "rows",
    ok: false,
    detail: `${wrong} rows have no id, or a time in another form`,
    fix: "give every row an id and a time such as 2026-03-29T00:59:59.000001Z",
  };
}

/** The columns that a mapping may use, known before the first row. */
export const columns: NonNullable<Abilities["columns"]> = async ({ config }) =>
  withDatabase(config, (database) => {
    const statement = database.prepare(`select * from ${quoted(config.table)} limit 0`);
    return statement.columns().map(({ name }) => name);
  });
