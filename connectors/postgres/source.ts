import { ConfigError } from "../../src/errors.ts";
import { quoteName, quoteNames } from "../../src/postgres/names.ts";
import { textIn, type Session } from "./client.ts";
import type { Overlap, PostgresConfig } from "./config.ts";
import { assertNoLimit } from "./own-limit.ts";
import { readingOf } from "./position.ts";
import { isDeterministicSql, looseCollations } from "./sql/collations.ts";
import { parseTable, quoteTable, shownColumns, shownTable } from "./sql/identifier.ts";
import type { TableName } from "./sql/identifier.ts";
import { isNeverNullSql } from "./sql/never-null.ts";
import { assertCompared } from "./sql/operators.ts";
import { columnTypes, type ColumnType } from "./sql/types.ts";

/** A column of the source. */
export type SourceColumn = ColumnType & {
  readonly name: string;
  /** Where its value is in a row. */
  readonly index: number;
  /** The OID of its type. */
  readonly oid: number;
  /** The length or precision that it was declared with, as the catalogue has it; -1 for none. */
  readonly modifier: number;
};

/** Whether a column's times have no zone, and are moments only together with one. */
export function hasNoZone({ type }: Pick<SourceColumn, "type">): boolean {
  return type === "date" || type === "timestamp without time zone";
}

/**
 * Whether times of the change column are taken for times of the server's zone, only because nobody said which zone they
 * are in.
 */
export function isZoneGuessed({
  changed,
  zone,
}: Pick<PostgresSource, "changed" | "zone">): boolean {
  return changed !== undefined && hasNoZone(changed) && !zone.isGiven;
}

/** A change column: the kind of its values decides how far a run may read, and how it goes back. */
export type ChangeColumn = SourceColumn & { readonly kind: "time" | "number" };

/** The source of a configuration, as the server knows it. */
export type PostgresSource = {
  /** See `readingOf`. */
  readonly reading: string;
  /** The part of a statement after `from`. */
  readonly from: string;
  /** The beginning of a row's place: `crm.companies`, or `query`. */
  readonly place: string;
  readonly columns: readonly SourceColumn[];
  readonly changed: ChangeColumn | undefined;
  readonly key: readonly SourceColumn[];
  /** The columns that rows are ordered by: the change column, if there is one, and the key. */
  readonly order: readonly SourceColumn[];
  /** For some of these by name, in SQL: the collation that compares their texts, if it may equate different ones. */
  readonly collations: ReadonlyMap<string, string>;
  /** The zone of times that have none, and whether it was configured: otherwise it is the server's own, and a guess. */
  readonly zone: { readonly name: string; readonly isGiven: boolean };
  /** The OID of a table whose indexes the server guarantees. */
  readonly oid: string | undefined;
  /** How far each run goes back. */
  readonly overlap: Overlap | undefined;
  /** Whether the columns of `order` may hold NULL: only for tables, the server promises that they do not. */
  readonly mayHoldNull: boolean;
};

/** A relation of the catalogue. */
type Relation = {
  readonly name: Required<TableName>;
  readonly oid: string;
  /** Whether the catalogue says which columns are unique and never null: it does not for views and foreign tables. */
  readonly isTable: boolean;
};

const timeTypes = new Set(["date", "timestamp without time zone", "timestamp with time zone"]);
const numberTypes = new Set(["smallint", "integer", "bigint", "numeric"]);

/**
 * Asks the server for columns, types and keys, and refuses what could not be read exactly: a key that is not
 * unique, or is compared as another type, columns that may be null, two columns of one name.
 * @throws {ConfigError} with the member at fault
 */
export async function describeSource(
  session: Session,
  config: PostgresConfig,
): Promise<PostgresSource> {
  const relation = config.query === undefined ? await findRelation(session, config) : undefined;
  const from = relation === undefined ? `(${config.query}\n) as source` : quoteTable(relation.name);
  const columns = await columnsOf(session, from);
  if (config.query !== undefined) await assertNoLimit(session, config.query);
  const key = (await keyOf(session, config, relation)).map((name) =>
    columnNamed(columns, name, "key"),
  );
  const changed = changeColumn(columns, config);
  const order = changed === undefined ? key : [changed, ...key];
  await assertCompared(session, key);
  const isTable = relation?.isTable === true;
  if (isTable) await assertKey(session, relation, { key, order });
  const texts = isTable ? [] : order.filter(({ isText }) => isText).map(({ name }) => name);
  return {
    reading: readingOf(config),
    from,
    place: relation === undefined ? "query" : shownTable(relation.name),
    columns,
    changed,
    key,
    order,
    collations: await looseCollations(session, from, texts),
    oid: isTable ? relation.oid : undefined,
    overlap: config.changed_by?.overlap,
    zone: {
      name: config.time_zone ?? session.serverTimeZone,
      isGiven: config.time_zone !== undefined,
    },
    mayHoldNull: !isTable,
  };
}

/** The names of the columns of a configuration's source. */
export async function columnNames(
  session: Session,
  config: PostgresConfig,
): Promise<readonly string[]> {
  return (await describeSource(session, config)).columns.map(({ name }) => name);
}

/** Whether the source is no longer as it was described: a column was renamed, dropped or given another type. */
export async function isAltered(session: Session, source: PostgresSource): Promise<boolean> {
  const now = await columnsOf(session, source.from).catch(() => []);
  const told = now.map(({ name, oid }) => [name, oid]);
  return (
    JSON.stringify(told) !== JSON.stringify(source.columns.map(({ name, oid }) => [name, oid]))
  );
}

/** @throws {ConfigError} a row has a NULL in a column of the order: it would be skipped silently. */
export async function assertNoNull(session: Session, source: PostgresSource): Promise<void> {
  if (!source.mayHoldNull) return;
  const isNull = source.order.map(({ name }) => `${quoteName(name)} is null`).join(" or ");
  const found = await session.query(`select 1 from ${source.from} where ${isNull} limit 1`);
  if (found.length > 0) throw nullable(source.order.map(({ name }) => name));
}

/** The table that a configuration names. @throws {ConfigError} there is none, or none is named. */
async function findRelation(session: Session, config: PostgresConfig): Promise<Relation> {
  const asked = config.table === undefined ? undefined : parseTable(config.table);
  if (asked === undefined) {
    throw new ConfigError("neither a table nor a query is named", {
      field: "table",
      hint: "Say what is read: table: crm.companies, or query: select ….",
    });
  }
  const [found] = await session.query(
    `select c.oid, n.nspname, c.relname, c.relkind in ('r', 'p') and not exists (
       select from pg_inherits where inhparent = c.oid and c.relkind = 'r') as is_table
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = to_regclass($1) and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
    [quoteTable(asked)],
  );
  const { oid, nspname: schema, relname: table } = found ?? {};
  if (typeof oid !== "string" || typeof schema !== "string" || typeof table !== "string") {
    throw new ConfigError(`there is no table ${shownTable(asked)}`, {
      field: "table",
      hint: "Check schema and table, letter by letter; capitals count.",
    });
  }
  return { oid, name: { schema, table }, isTable: found?.["is_table"] === "t" };
}

async function columnsOf(session: Session, from: string): Promise<readonly SourceColumn[]> {
  const described = await session.describe(`select * from ${from}`);
  const names = described.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new ConfigError(`two columns are called ${JSON.stringify(twice)}`, {
      field: "query",
      hint: "Give one of them another name: select a.id, b.id as other_id ….",
    });
  }
  const types = await columnTypes(session, new Set(described.map(({ oid }) => oid)));
  return described.map(({ name, oid, modifier }, index) => {
    const type = types.get(oid);
    if (type === undefined) throw new ConfigError(`the column ${JSON.stringify(name)} has no type`);
    return { ...type, name, index, oid, modifier };
  });
}

async function keyOf(
  session: Session,
  config: PostgresConfig,
  relation: Relation | undefined,
): Promise<readonly string[]> {
  if (config.key !== undefined) return config.key;
  const found =
    relation === undefined
      ? []
      : await session.query(
          `select a.attname
           from pg_index i cross join unnest(i.indkey) with ordinality as k (attnum, at)
             join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
           where i.indrelid = $1 and i.indisprimary and k.at <= i.indnkeyatts
           order by k.at`,
          [relation.oid],
        );
  if (found.length > 0) return found.map((row) => textIn(row, "attname"));
  throw new ConfigError(
    relation === undefined
      ? "a query needs a key"
      : `${shownTable(relation.name)} has no primary key`,
    { field: "key", hint: "Name the columns that are unique and never null: key: [id]." },
  );
}

function columnNamed(columns: readonly SourceColumn[], name: string, field: string): SourceColumn {
  const column = columns.find((each) => each.name === name);
  if (column !== undefined) return column;
  throw new ConfigError(`there is no column ${JSON.stringify(name)}`, {
    field,
    hint: `There are ${shownColumns(columns.map((each) => each.name))}.`,
  });
}

function changeColumn(
  columns: readonly SourceColumn[],
  { changed_by: by }: PostgresConfig,
): ChangeColumn | undefined {
  if (by === undefined) return undefined;
  const column = columnNamed(columns, by.column, "changed_by.column");
  const isTime = timeTypes.has(column.type);
  if (!isTime && !numberTypes.has(column.type)) {
    throw new ConfigError(`${by.column} is ${column.type}, which does not say what changed last`, {
      field: "changed_by.column",
      hint: "Name a column of times (timestamptz is best), or of numbers that grow.",
    });
  }
  if (isTime ? isCount(by.overlap) : isDuration(by.overlap)) {
    throw new ConfigError(
      `the overlap is of another kind than ${by.column}, which is ${column.type}`,
      {
        field: "changed_by.overlap",
        hint: isTime ? "Give a duration: overlap: 6h." : "Give a number: overlap: 1000.",
      },
    );
  }
  return { ...column, kind: isTime ? "time" : "number" };
}

/** An overlap of 0 is neither a count nor a duration. */
function isCount(overlap: Overlap | undefined): boolean {
  return overlap !== undefined && "count" in overlap && overlap.count > 0;
}

function isDuration(overlap: Overlap | undefined): boolean {
  return overlap !== undefined && "ms" in overlap;
}

/** @throws {ConfigError} the key is not unique, or a column of the order may be null. */
async function assertKey(
  session: Session,
  { name, oid }: Relation,
  { key, order }: Pick<PostgresSource, "key" | "order">,
): Promise<void> {
  const nullables = await session.query(
    `select attname from pg_attribute a
     where attrelid = $1 and attname = any ($2) and not ${isNeverNullSql} order by attname`,
    [oid, order.map((column) => column.name)],
  );
  if (nullables.length > 0) throw nullable(nullables.map((row) => textIn(row, "attname")));
  const names = key.map((column) => column.name);
  if (await isUnique(session, oid, names)) return;
  throw new ConfigError(`nothing keeps ${names.join(", ")} unique in ${shownTable(name)}`, {
    field: "key",
    hint:
      `Name a unique key, or make it one: create unique index concurrently on ${quoteTable(name)} ` +
      `(${quoteNames(names)}).`,
  });
}

/**
 * Whether a table has no two rows with the same values in some columns, NULLs aside: an index on some of them ensures
 * it for all. An index that distinguishes letters allows both `a` and `A`, which a column may take for the same.
 */
export async function isUnique(
  session: Session,
  oid: string,
  names: readonly string[],
): Promise<boolean> {
  const unique = await session.query(
    `select 1 from pg_index i
     where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
       and not exists (
         select from unnest(i.indkey) with ordinality as k (attnum, at)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         where k.at <= i.indnkeyatts and a.attname <> all ($2))
       and not exists (
         select from generate_subscripts(i.indcollation, 1) as at
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[at]
           join pg_collation c on c.oid = a.attcollation
         where at < i.indnkeyatts and not ${isDeterministicSql} and c.oid <> i.indcollation[at])
     limit 1`,
    [oid, names],
  );
  return unique.length > 0;
}

function nullable(names: readonly string[]): ConfigError {
  return new ConfigError(`${names.join(", ")} may be null, and such rows would be passed over`, {
    field: "key",
    hint: "Make it not null for all rows, or read `query: select … where … is not null`.",
  });
}
