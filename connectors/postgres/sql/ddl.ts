import { ConfigError } from "../../../src/errors.ts";
import { quoteName } from "../../../src/postgres/names.ts";
import type { Column } from "../../contract/connector.ts";
import type { PostgresConfig } from "../config.ts";
import { parseTable, quoteTable, type TableName } from "./identifier.ts";

/** Wide types, because a later value may be longer, larger or more precise than those seen so far. */
const types: Readonly<Record<Column["type"], string>> = {
  string: "text",
  number: "numeric",
  boolean: "boolean",
  date: "date",
  time: "timestamptz",
  json: "jsonb",
  other: "text",
};

/**
 * The table of a write-back.
 * @throws {ConfigError} the configuration names none.
 */
export function tableOf(config: PostgresConfig): TableName {
  const table = config.table === undefined ? undefined : parseTable(config.table);
  if (table !== undefined) return table;
  throw new ConfigError("a write-back to Postgres needs the table to write", {
    field: "table",
    hint: "Name it: table: crm.account_scores.",
  });
}

/**
 * The statement that makes the table of a write-back, for a person to read and run.
 * @throws {ConfigError} the configuration names no table, or a name is longer than Postgres keeps.
 */
export function ddlOf(input: {
  readonly config: PostgresConfig;
  readonly key: readonly Column[];
  readonly set: readonly Column[];
}): string {
  const { config, key, set } = input;
  const lines = [
    ...key.map((column) => `${quoteName(column.name)} ${types[column.type]} not null`),
    ...set.map((column) => {
      const isRequired = column.isNullable === false;
      return `${quoteName(column.name)} ${types[column.type]}${isRequired ? " not null" : ""}`;
    }),
    `primary key (${key.map(({ name }) => quoteName(name)).join(", ")})`,
  ];
  return `create table if not exists ${quoteTable(tableOf(config))} (\n  ${lines.join(",\n  ")}\n);`;
}
