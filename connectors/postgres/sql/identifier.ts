import { nameFault, quoteName } from "../../../src/postgres/names.ts";
import { columnsShownMax } from "../limits.ts";

/** A table's name as the configuration gives it; without a schema the server's search path finds it. */
export type TableName = {
  readonly schema?: string | undefined;
  readonly table: string;
};

/** One part of a table's name: bare, or in double quotes, which may hold any character, with a quote doubled. */
const part = /(?:"((?:[^"]|"")+)"|([^".]+))/y;

/** A table's name as it is in a statement. @throws {ConfigError} as `quoteName`. */
export function quoteTable({ schema, table }: TableName): string {
  return schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;
}

/**
 * Parses `companies`, `crm.companies` or `"my.schema"."Table"`. Letters keep their case: nothing is folded, quoted or
 * not. Undefined for a text that is not a name of a table.
 */
export function parseTable(text: string): TableName | undefined {
  const names: string[] = [];
  let at = 0;
  for (;;) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (found === null) return undefined;
    const [, quoted, bare = ""] = found;
    names.push(quoted?.replaceAll('""', '"') ?? bare);
    at = part.lastIndex;
    if (at === text.length) break;
    if (text[at] !== ".") return undefined;
    at += 1;
  }
  if (names.some((name) => nameFault(name) !== undefined)) return undefined;
  const [first = "", second] = names;
  if (names.length > 2) return undefined;
  return second === undefined ? { table: first } : { schema: first, table: second };
}

/** A table's name for a person, and for the places of its rows: `crm.companies`, quoted where it would be misread. */
export function shownTable({ schema, table }: TableName): string {
  return schema === undefined ? shownName(table) : `${shownName(schema)}.${shownName(table)}`;
}

function shownName(name: string): string {
  return /^[^".]+$/.test(name) ? name : quoteName(name);
}

/** Columns as a message lists them: the first `columnsShownMax`, and how many more there are. */
export function shownColumns(columns: readonly string[]): string {
  const shown = columns.slice(0, columnsShownMax);
  const more = columns.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
