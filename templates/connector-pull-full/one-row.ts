import type { DatabaseSync, SQLInputValue } from "node:sqlite";

import type { JsonValue, Patch, Written } from "sluice/connector";

import { quoted, withDatabase } from "./database.ts";
import type { Abilities } from "./read.ts";
import { pageOf } from "./row.ts";

/** Rows by the names that `where` gives them, or by their ids: for rejects that are read again once they are fixed. */
export const get: NonNullable<Abilities["get"]> = async ({ config, names }) => {
  const begin = `${config.table}#`;
  const idOf = (name: string): string => (name.startsWith(begin) ? name.slice(begin.length) : name);
  const found = withDatabase(config, (database) => {
    const sql = `select * from ${quoted(config.table)} where id in (select value from json_each(?))`;
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all(JSON.stringify(names.map(idOf)));
  });
  const there = new Set(found.map(({ id }) => String(id)));
  return { ...pageOf(config, found), missing: names.filter((name) => !there.has(idOf(name))) };
};

/** Writes values back: one answer for each patch, in order. All of them are written, or none. */
export const write: NonNullable<Abilities["write"]> = async ({ config, patches }) =>
  withDatabase(
    config,
    (database) => {
      database.exec("begin immediate");
      const written = patches.map((patch) => writeOne(database, config.table, patch));
      database.exec("commit");
      return written;
    },
    { readOnly: false },
  );

function writeOne(database: DatabaseSync, table: string, { key, set }: Patch): Written {
  const [keys, values] = [Object.values(key).map(cell), Object.values(set).map(cell)];
  const found = namesOf(key, "= ?").join(" and ");
  const differs = namesOf(set, "is not ?").join(" or ");
  // A row that has the values already is left alone: if it changed, it would be read again.
  const update = database.prepare(
    `update ${quoted(table)} set ${namesOf(set, "= ?").join(", ")} where ${found} and (${differs})`,
  );
  if (update.run(...values, ...keys, ...values).changes > 0) return { done: "written" };
  const look = database.prepare(`select 1 from ${quoted(table)} where ${found}`);
  return { done: look.get(...keys) === undefined ? "missing" : "unchanged" };
}

function namesOf(columns: Patch["set"], test: string): readonly string[] {
  return Object.keys(columns).map((name) => `${quoted(name)} ${test}`);
}

/** A value as SQLite holds it. */
function cell(value: JsonValue): SQLInputValue {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
