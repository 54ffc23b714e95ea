import { z } from "zod";

import type { Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { describeSource } from "./source.ts";

/** A column of a key, with its number in the catalogue: a renamed column keeps its number. */
const keyColumn = z.object({ name: z.string(), number: z.string() });

/** The columns that rows are ordered by, with type and collation by name: `timestamp(3) with time zone`. */
export const columnOrder = z.object({
  /** See `readingOf`: a run does not continue from positions of another reading. */
  of: z.string(),
  /** See `PostgresSource`: the table that the search path found; an older sluice did not keep it. */
  place: z.string().default(""),
  columns: z.record(z.string(), z.string()),
  /** For a table, its key in order; an older sluice did not keep it. */
  key: z.array(keyColumn).default([]),
});

/** See `columnOrder`. */
export type ColumnOrder = z.output<typeof columnOrder>;

const typedRow = keyColumn.extend({ type: z.string() });

/**
 * How the rows are ordered now, where a run continues after a position; undefined where each run reads all of them. For
 * a query, precision and collation are not known.
 * @throws {ConfigError} the source cannot be described.
 */
export async function orderNow(
  session: Session,
  config: PostgresConfig,
): Promise<ColumnOrder | undefined> {
  if (config.changed_by === undefined) return undefined;
  const { order, key, from, place, reading: of } = await describeSource(session, config);
  const names = order.map(({ name }) => name);
  if (config.query !== undefined) {
    const columns = Object.fromEntries(order.map(({ name, type }) => [name, type]));
    return { of, place, columns, key: [] };
  }
  const rows = await session.query(
    `select a.attname as name, a.attnum as number, format_type(a.atttypid, a.atttypmod) ||
       coalesce((select ' collate ' || c.collname from pg_collation c where c.oid = a.attcollation), '') as type
     from pg_attribute a where a.attrelid = $1::regclass and a.attname = any($2) order by a.attnum`,
    [from, names],
  );
  const typed = z.array(typedRow).parse(rows);
  return {
    of,
    place,
    columns: Object.fromEntries(typed.map(({ name, type }) => [name, type])),
    key: key.flatMap((column) => typed.filter(({ name }) => name === column.name)),
  };
}

const whole = /^(?:smallint|integer|bigint)$/;
const text = /^(?:text|character varying(?:\(\d+\))?)(?= collate |$)/;
const ofTime = /^(time|timestamp)(?:\((\d)\))?( with.*)$/;

/** Whether values of one type have the same order and the same texts, or longer ones, in another type. */
function isOrderKept(was: string, is: string): boolean {
  if (was === is || (whole.test(was) && (whole.test(is) || is === "numeric"))) return true;
  if (text.test(was) && text.test(is)) return was.replace(text, "") === is.replace(text, "");
  const [, base, digits = "6", rest] = ofTime.exec(was) ?? [];
  const [, baseNow, digitsNow = "6", restNow] = ofTime.exec(is) ?? [];
  return base !== undefined && base === baseNow && rest === restNow && digits <= digitsNow;
}

/**
 * How rows come from another table, or in another order, than when a position was kept, as a clause: some would be
 * skipped. Undefined where they do not, and where another table, query or change column is read now.
 */
export function orderDifference(
  known: ColumnOrder | undefined,
  found: ColumnOrder | undefined,
): string | undefined {
  if (known?.of !== found?.of || known === undefined || found === undefined) return undefined;
  // With another role, or after a table of its name was made in a schema that is earlier in the search path.
  if (known.place !== "" && known.place !== found.place) {
    const table = `the table is ${found.place} now, and was ${known.place}`;
    return `${table} when the checkpoint was kept: rows come from another table`;
  }
  for (const [name, was] of Object.entries(known.columns)) {
    const is = found.columns[name];
    if (is === undefined || isOrderKept(was, is)) continue;
    const column = `the column ${JSON.stringify(name)} is ${is} now, and was ${was}`;
    return `${column} when the checkpoint was kept: rows come in another order`;
  }
  return keyDifference(known, found);
}

/** The same for the primary key, which may have other columns now; undefined where they were renamed or made anew. */
function keyDifference({ key: was }: ColumnOrder, { key: is }: ColumnOrder): string | undefined {
  if (was.length === 0) return undefined;
  const [names, namesNow] = [was, is].map((key) => key.map(({ name }) => name).join(", "));
  const [numbers, numbersNow] = [was, is].map((key) => key.map(({ number }) => number).join());
  if (names === namesNow || numbers === numbersNow) return undefined;
  return `the key is ${namesNow} now, and was ${names} when the checkpoint was kept: rows come in another order`;
}
