import { ConfigError } from "../../../src/errors.ts";
import { quoteName } from "../../../src/postgres/names.ts";
import type { Span } from "../../contract/connector.ts";
import type { PostgresPosition } from "../position.ts";
import type { RawRows, Text } from "../rows/raw-rows.ts";
import { hasNoZone, type PostgresSource, type SourceColumn } from "../source.ts";

/** A statement, with its values separate. */
export type SqlStatement<Value = string> = {
  readonly sql: string;
  readonly values: readonly Value[];
};

/** All columns of the rows of a span, in order, at most `rowsMax`. */
export function selectRows(
  source: PostgresSource,
  span: Span<PostgresPosition>,
  rowsMax: number,
): SqlStatement {
  const { where, values } = conditionOf(source, span);
  const columns = source.columns.map(({ name }) => quoteName(name)).join(", ");
  const sql = `select ${columns} from ${source.from}${where} order by ${orderOf(source)} limit ${rowsMax}`;
  return { sql, values };
}

/**
 * A statement that returns a row if two neighbours of some rows are equal in all columns of the order, in the columns'
 * own types and collations.
 */
export function equalNeighbours(
  { order, collations }: PostgresSource,
  rows: RawRows,
): SqlStatement<readonly Text[]> {
  const lists = order.map((_, at) => `$${at + 1}::text[]`);
  const names = order.map((_, at) => `k${at}`).join(", ");
  // Each text is cast by itself: unnest would take apart a key that is an array.
  const casts = order.map(({ name, type }, at) => {
    const collation = collations.get(name);
    return collation === undefined ? `k${at}::${type}` : `k${at}::${type} collate ${collation}`;
  });
  const sql = `select 1 from (
      select row(${casts.join(", ")}) as this, lag(row(${casts.join(", ")})) over (order by place) as previous
      from unnest(${lists.join(", ")}) with ordinality as placed (${names}, place)) as neighbours
    where this = previous limit 1`;
  return { sql, values: order.map(({ index }) => rows.column(index)) };
}

/** The columns that rows are ordered by, quoted. */
export function orderOf({ order }: PostgresSource): string {
  return order.map(({ name }) => quoteName(name)).join(", ");
}

/**
 * The condition for the rows of a span, from ` where` on; empty for all rows. Values are compared in the columns' own
 * types.
 * @throws {ConfigError} a position was made with other settings
 */
export function conditionOf(
  source: PostgresSource,
  { from, to }: Span<PostgresPosition>,
): { readonly where: string; readonly values: readonly string[] } {
  const edges = [
    ...(from === undefined ? [] : [edgeOf(source, from, { whole: ">", part: ">=" })]),
    ...(to === undefined ? [] : [edgeOf(source, to, { whole: "<=", part: "<" })]),
  ];
  const values: string[] = [];
  const conditions = edges.map(({ columns, operator, texts }) => {
    const names = columns.map(({ name }) => quoteName(name)).join(", ");
    const casts = columns.map((column, index) => {
      values.push(texts[index] ?? "");
      const value = `$${values.length}`;
      if (column !== source.changed || !hasNoZone(column) || !texts[index]?.endsWith("+00")) {
        return `${value}::${column.type}`;
      }
      // A moment, in a column of local times.
      values.push(source.zone.name);
      return `(${value}::timestamptz at time zone $${values.length})::${column.type}`;
    });
    return `(${names}) ${operator} (${casts.join(", ")})`;
  });
  return { where: conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`, values };
}

/** The least number of each type of whole numbers. */
const least: Readonly<Record<string, bigint | undefined>> = {
  smallint: -(2n ** 15n),
  integer: -(2n ** 31n),
  bigint: -(2n ** 63n),
};

/** A number that a column can hold: an overlap may reach below the least one, where there are no rows. */
function notBelow(text: string, column: SourceColumn | undefined): string {
  const bound = least[column?.type ?? ""];
  return bound !== undefined && /^-\d+$/.test(text) && BigInt(text) < bound ? String(bound) : text;
}

const aTime = /^\d{4,}-/;

const withoutZone = /^\d{4}-[\d:. -]+$/;

type Edge = {
  readonly columns: readonly SourceColumn[];
  readonly operator: string;
  readonly texts: readonly string[];
};

/** A position without a key is before all rows of its change, one with a key is after its row. */
function edgeOf(
  source: PostgresSource,
  position: PostgresPosition,
  operators: { readonly whole: string; readonly part: string },
): Edge {
  const { changed, key, order } = source;
  const isOfChange = "changed" in position;
  // A time that was written without a zone is another moment in a column that has been given a zone since.
  const hasLostZone =
    isOfChange &&
    changed?.type === "timestamp with time zone" &&
    withoutZone.test(position.changed);
  if (isOfChange && changed?.kind === "number" && aTime.test(position.changed)) {
    throw new ConfigError(`${changed.name} holds numbers, and a time says nothing of them`, {
      hint: "Name a number in its place: 48211.",
    });
  }
  const isOfOtherKind = isOfChange !== (changed !== undefined);
  if (isOfOtherKind || hasLostZone || (position.key ?? key).length !== key.length) {
    throw new ConfigError("the saved position was made with another changed_by or key", {
      field: isOfOtherKind || hasLostZone ? "changed_by" : "key",
      hint: "Set it back, or reset the sync's checkpoint.",
    });
  }
  if (!isOfChange) return { columns: key, operator: operators.whole, texts: position.key };
  const texts = [notBelow(position.changed, changed), ...(position.key ?? [])];
  const operator = position.key === undefined ? operators.part : operators.whole;
  return { columns: order.slice(0, texts.length), operator, texts };
}
