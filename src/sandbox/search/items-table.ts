import type { DatabaseSync, StatementSync } from "node:sqlite";

import { keptOrdersMax } from "../limits.ts";
import { searchConditionOf, folded, searchOrderOf, type Sql, writtenColumn } from "./conditions.ts";
import { type Kind, properties, type Resource } from "./properties.ts";
import type { Query } from "./query.ts";

/** A searchable item. */
export type Findable = {
  /** Decides the order where the sort does not; a later item with the same id replaces it. */
  readonly id: string;
  /** The item as it is answered, as JSON. */
  readonly json: string;
  /** Values of the properties, each of its kind; properties not named are absent. */
  readonly values: Readonly<Record<string, boolean | number | string | undefined>>;
  /** Texts that are searched. */
  readonly texts: readonly (string | undefined)[];
};

/** Some of the items found, as JSON, and their total number. */
export type Found = { readonly items: readonly string[]; readonly total: number };

/** The searchable items of one resource, in two tables: the values that are compared, and the items to answer. */
export class ItemsTable {
  readonly #db: DatabaseSync;
  readonly #resource: Resource;
  readonly #kinds: readonly (readonly [string, Kind])[];
  readonly #putRow: StatementSync;
  readonly #putItem: StatementSync;
  /** Temporary tables that hold the order of a search, by its condition and order; the oldest first. */
  readonly #kept = new Map<string, { readonly table: string; readonly total: number }>();
  #orders = 0;

  constructor(db: DatabaseSync, resource: Resource) {
    this.#db = db;
    this.#resource = resource;
    this.#kinds = Object.entries<Kind>(properties[resource]);
    const columns = this.#kinds.flatMap(columnsOf);
    // Ids come in any order: this scatters only the writes to their index, while rows are appended.
    db.exec(`
      create table if not exists ${resource} (
        number integer primary key, id text not null unique, words text not null,
        ${columns.map(({ name, type }) => `${name} ${type}`).join(", ")}) strict;
      create table if not exists ${resource}_items (
        number integer primary key, item text not null) strict;`);
    const names = ["id", "words", ...columns.map(({ name }) => name)];
    this.#putRow = db.prepare(
      `insert into ${resource} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})
       on conflict (id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(", ")}
       returning number`,
    );
    this.#putItem = db.prepare(`insert or replace into ${resource}_items values (?, ?)`);
  }

  /** Adds an item, or replaces it. */
  put({ id, json, values, texts }: Findable): void {
    this.#forgetOrders();
    const words = texts.filter((text) => text !== undefined).map(folded);
    const columns = this.#kinds.flatMap(([name, kind]) => cellsOf(values[name], kind));
    const row = this.#putRow.get(id, words.join("\n"), ...columns);
    this.#putItem.run(Number(row?.["number"]), json);
  }

  /** Removes all items. */
  clear(): void {
    this.#forgetOrders();
    this.#db.exec(`delete from ${this.#resource}; delete from ${this.#resource}_items;`);
  }

  /** The items from this offset on, counted from 0 in the requested order. */
  find(query: Query, offset: number): Found {
    const condition = searchConditionOf(query, Object.fromEntries(this.#kinds));
    const order = searchOrderOf(query);
    if (offset === 0) return this.#first(condition, { order, limit: query.limit });
    const { table, total } = this.#orderOf(condition, order);
    const items = this.#db
      .prepare(
        `select item from temp.${table} as found join ${this.#resource}_items using (number)
         where found.rowid > ? and found.rowid <= ? order by found.rowid`,
      )
      .all(offset, offset + query.limit);
    return { items: items.map(({ item }) => String(item)), total };
  }

  /** Most searches read only their first page, which does not need the order of everything found. */
  #first(condition: Sql, by: { readonly order: string; readonly limit: number }): Found {
    const { text, values } = condition;
    const resource = this.#resource;
    const count = this.#db.prepare(`select count(*) as total from ${resource} where ${text}`);
    const items = this.#db
      .prepare(
        `with found as materialized (select * from ${resource} where ${text} order by ${by.order} limit ?)
         select item from found join ${resource}_items using (number) order by ${by.order}`,
      )
      .all(...values, by.limit);
    return {
      items: items.map(({ item }) => String(item)),
      total: Number(count.get(...values)?.["total"]),
    };
  }

  #orderOf(
    { text, values }: Sql,
    order: string,
  ): { readonly table: string; readonly total: number } {
    const search = JSON.stringify([text, values, order]);
    const known = this.#kept.get(search);
    if (known !== undefined) return known;
    const [oldest] = this.#kept;
    if (oldest !== undefined && this.#kept.size === keptOrdersMax) this.#forget(oldest);
    const table = `${this.#resource}_order_${this.#orders++}`;
    this.#db.exec(`create temp table ${table} (number integer not null)`);
    const made = this.#db
      .prepare(
        `insert into temp.${table} select number from ${this.#resource} where ${text} order by ${order}`,
      )
      .run(...values);
    const kept = { table, total: Number(made.changes) };
    this.#kept.set(search, kept);
    return kept;
  }

  #forgetOrders(): void {
    for (const order of this.#kept) this.#forget(order);
  }

  #forget([search, { table }]: readonly [string, { readonly table: string }]): void {
    this.#db.exec(`drop table temp.${table}`);
    this.#kept.delete(search);
  }
}

type Column = { readonly name: string; readonly type: "real" | "text" };

/** The columns of a property, with names quoted for SQL. */
function columnsOf([property, kind]: readonly [string, Kind]): readonly Column[] {
  const name = `"${property}"`;
  if (kind !== "date") return [{ name, type: kind === "text" ? "text" : "real" }];
  return [
    { name, type: "real" },
    { name: `"${writtenColumn(property)}"`, type: "text" },
  ];
}

/** The values in the columns of a property, as filters compare them. */
function cellsOf(
  value: Findable["values"][string],
  kind: Kind,
): readonly (number | string | null)[] {
  if (value === undefined) return kind === "date" ? [null, null] : [null];
  if (kind === "date") return [Date.parse(String(value)), String(value)];
  return [typeof value === "string" ? folded(value) : Number(value)];
}
