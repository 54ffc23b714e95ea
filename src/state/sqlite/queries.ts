import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

import { CamelCasePlugin, Kysely, SqliteDialect } from "kysely";

import type { Queries } from "../store/state-database.ts";
import type { Tables } from "../store/tables.ts";

/** The most statements that are kept compiled; a store has some two hundred. */
const statementsMax = 500;

/** A statement as the dialect expects it: with its parameters in a list, and a flag whether it returns rows. */
type ListedStatement = {
  readonly reader: boolean;
  readonly all: (parameters: readonly unknown[]) => unknown[];
  readonly run: (parameters: readonly unknown[]) => ReturnType<StatementSync["run"]>;
  readonly iterate: (parameters: readonly unknown[]) => IterableIterator<unknown>;
};

function isInput(value: unknown): value is SQLInputValue {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    ArrayBuffer.isView(value)
  );
}

function inputsOf(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (isInput(value)) return value;
    throw new TypeError(`SQLite has no value for a parameter of type ${typeof value}`);
  });
}

function listed(statement: StatementSync): ListedStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...inputsOf(parameters)),
    run: (parameters) => statement.run(...inputsOf(parameters)),
    iterate: (parameters) => statement.iterate(...inputsOf(parameters)),
  };
}

/** Kysely over an open SQLite file; the caller must ensure that no other transaction comes in between. */
export function queriesOf(db: DatabaseSync): Queries {
  const statements = new Map<string, ListedStatement>();
  const prepare = (sql: string): ListedStatement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (statements.size >= statementsMax) statements.clear();
    const statement = listed(db.prepare(sql));
    statements.set(sql, statement);
    return statement;
  };
  const dialect = new SqliteDialect({ database: { prepare, close: () => undefined } });
  // Names inside the JSON of a column stay as they are.
  return new Kysely<Tables>({
    dialect,
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}
