import type { Column, Discovery } from "../../../connectors/contract/connector.ts";
import type { TestCase } from "../../../testing/case.ts";
import { casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

function column(
  [name, type, note]: readonly [name: string, type: Column["type"], note: string],
  isNullable = true,
): Column {
  return { name, type, isNullable, note };
}

const companies: Discovery = {
  name: "sample.companies",
  from: { table: "sample.companies", changed_by: { column: "updated_at" } },
  key: ["id"],
  columns: [
    column(["created_at", "time", "timestamp with time zone"], false),
    column(["id", "number", "bigint"], false),
    column(["name", "string", "character varying(80)"]),
    column(["founded", "date", "date"]),
    column(["isOpen", "boolean", "boolean"]),
    column(["revenue", "number", "numeric(12,2)"]),
    column(["tags", "json", "text[]"]),
    column(["raw", "json", "jsonb"]),
    column(["ref", "string", "uuid"]),
    column(["stage", "string", "stage"]),
    column(["mail", "string", "mail"]),
    column(["price", "other", "money"]),
    column(["changed_on", "date", "date"], false),
    column(["modified_at", "time", "timestamp without time zone"]),
    column(["updated_at", "time", "timestamp with time zone"], false),
  ],
};

/** Tables whose names sort before the others', so that one table too many would leave no room for the last. */
const many = 43;

const discoveries: readonly Discovery[] = [
  companies,
  {
    name: 'sample."My.Table"',
    from: { table: 'sample."My.Table"' },
    key: ["b", "a"],
    columns: [
      column(["a", "number", "integer"], false),
      column(["b", "number", "integer"], false),
      column(["c", "number", "integer"]),
    ],
  },
  {
    name: "sample.keyless",
    from: { table: "sample.keyless" },
    key: [],
    columns: [
      column(["modified_at", "time", "timestamp without time zone"], false),
      column(["n", "number", "integer"]),
    ],
  },
  {
    name: "sample.parts",
    from: { table: "sample.parts" },
    key: [],
    columns: [column(["id", "number", "integer"])],
  },
  {
    name: "sample.visits",
    from: { table: "sample.visits", key: ["on", "company"] },
    key: ["on", "company"],
    columns: [
      column(["on", "date", "date"], false),
      column(["company", "number", "integer"], false),
      column(["n", "number", "integer"]),
    ],
  },
  {
    name: "sample.zz",
    from: { table: "sample.zz" },
    key: [],
    columns: [column(["n", "number", "integer"])],
  },
];

const tables: Sketch = {
  what: "tables and views of every kind, and as many as are asked for",
  sql: `create domain mail as text; create type stage as enum ('new');
    create table companies (created_at timestamptz not null, gone int, id bigint primary key, name varchar(80),
    founded date,
      "isOpen" boolean, revenue numeric(12, 2), tags text[], raw jsonb, ref uuid, stage stage, mail mail, price money,
      changed_on date not null, modified_at timestamp, updated_at timestamptz not null);
    alter table companies drop gone;
    create table "My.Table" (a int not null, b int not null, c int, unique (a), primary key (b, a) include (c));
    create table visits ("on" date not null, company int not null, n int,
      unique ("on", company) include (n), unique (n), unique ("on", company, n));
    create table keyless (modified_at timestamp not null, n int);
    create unique index on keyless (n);
    create unique index on keyless (modified_at) where n > 5;
    create unique index on keyless (date_trunc('day', modified_at));
    create index on keyless (modified_at);
    create table parts (id int) partition by range (id);
    create table a_part partition of parts for values from (0) to (10);
    create table a_closed (id int primary key); revoke all on a_closed from public;
    create sequence a_sequence;
    create view zz as select 1 as n;
    do $$ begin for n in 1..${many} loop execute format('create table t%s (id int)', n); end loop; end $$`,
  from: { table: "sample.companies", changed_by: undefined },
  discoveries,
};

/** What `discover` finds. */
export function foundCases(site: Site): readonly TestCase[] {
  const closed = `revoke all on a_closed from ${site.role}; create schema a_hidden; create table a_hidden.t (id int)`;
  return casesOf(site, [{ ...tables, sql: `${tables.sql ?? ""}; ${closed}` }]);
}
