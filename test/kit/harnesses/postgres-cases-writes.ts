import type { Patch } from "../../../connectors/contract/connector.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";
import type { TestCase } from "../../../testing/case.ts";
import { casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

const table = "sample.scores";

function patch(id: JsonValue, set: Patch["set"]): Patch {
  return { key: { id }, set };
}

/** Rows of a table that counts how often each was written, by inserts and by updates. */
const counting = `create function counted() returns trigger language plpgsql as
    $$ begin new.count := coalesce(old.count, 0) + 1; new.waits := current_setting('lock_timeout'); return new; end $$`;

function reads(site: Site, columns: string): () => Promise<unknown> {
  return async () => {
    const rows = await site.run(`select ${columns} from scores order by 1, 2`);
    return rows.map((row) => Object.values(row).join(" "));
  };
}

function key(url: string, event: string, set: Patch["set"]): Patch {
  return { key: { url, event }, set };
}

/** Two columns identify a row, in an order other than that of their index. */
function byTwo(site: Site): Sketch {
  const left = reads(site, "url, event, n, count, waits");
  return {
    what: "patches of a key of two columns",
    sql: `${counting};
      create table scores (url text not null, event text not null, n int, count int, waits text, unique (event, url)
      include (n));
      create index on scores (url); create unique index on scores (url) where n > 500;
      create unique index on scores ((url || event));
      create trigger count before insert or update on scores for each row execute function counted();
      insert into scores values ('a', 'x', 1)`,
    from: { table, key: ["event", "url"] },
    rows: [{ url: "a", event: "x", n: "1", count: "1", waits: "0" }],
    isUncut: true,
    writes: [
      {
        patches: [
          key("a", "x", { n: 1 }),
          key("b", "x", { n: 2 }),
          key("a", "y", { n: 3 }),
          key("b", "x", { n: 4 }),
        ],
        answers: ["unchanged", "written", "written", "written"],
        leaves: ["a x 1 1 0", "a y 3 1 10s", "b x 4 1 10s"],
        left,
      },
      {
        patches: [key("a", "x", { n: 5 }), key("a", "y", { n: 3 }), key("b", "x", { n: null })],
        answers: ["written", "unchanged", "written"],
        leaves: ["a x 5 2 10s", "a y 3 1 10s", "b x  2 10s"],
        left,
      },
      {
        patches: [key("a", "x", {}), key("c", "z", {})],
        answers: ["unchanged", "written"],
        leaves: ["a x 5 2 10s", "a y 3 1 10s", "b x  2 10s", "c z  1 10s"],
        left,
      },
      { patches: [], answers: [] },
      {
        patches: [{ key: { url: "a" }, set: { n: 1 } }],
        throws: {
          code: "ConfigError",
          field: "key",
          says: "nothing makes url unique in sample.scores",
        },
      },
      {
        patches: [{ key: { url: "a", event: "x", n: 1 }, set: {} }],
        throws: { code: "ConfigError", field: "key", says: "nothing makes url, event, n unique" },
      },
      {
        patches: [{ key: { url: "a", Event: "x" }, set: { n: 1 } }],
        throws: { code: "ConfigError", field: "key", says: "has no column Event" },
      },
      {
        patches: [key("a", "x", { fit: 1 })],
        throws: {
          code: "ConfigError",
          field: "set",
          says: "Its columns are url, event, n, count, waits.",
        },
      },
    ],
  };
}

/** Why a value is refused; none of these rows exists afterwards. */
const refusals: readonly (readonly [column: string, value: JsonValue, rejected: string])[] = [
  ["i", "no number", "the column i: a value is not of its column's type"],
  ["u", "taken", "another row has the same values (scores_u_key)"],
  ["must", null, "the column must needs a value"],
  ["i", -1, "it breaks the rule scores_i_check"],
  ["part", "[1,3)", "it breaks scores_part_excl"],
  ["mail", "nobody", "the column mail: it breaks the rule mail_check"],
  ["u", "no", "a trigger of the table refuses it"],
  ["j", "\0", "the column j would get a NUL, which text cannot hold"],
];

/** A patch whose other values are right. */
function refused([column, value]: (typeof refusals)[number], at: number): Patch {
  const right = refusals.map(([name]) => [name, name === "must" ? 0 : null] as const);
  return patch(`bad ${at}`, {
    ...Object.fromEntries(right),
    ...Object.fromEntries([[column, value]]),
  });
}

function refusing(site: Site): Sketch {
  const left = reads(site, "id, i");
  const rejected = "the column i: a value is not of its column's type";
  const bad = "bad";
  return {
    what: "patches of which some are refused",
    sql: `create domain mail as text check (value like '%@%');
      create function refuse() returns trigger language plpgsql as
        $$ begin if new.u = 'no' then raise exception 'no %', new.id; end if; return new; end $$;
      create table scores (id text primary key, i int check (i >= 0), u text unique, must int not null default 0,
        mail mail, j jsonb, part int4range default '[9,10)', exclude using gist (part with &&) where (part < '[5,6)'));
      create trigger refuse before insert or update on scores for each row execute function refuse();
      grant select on scores to public;
      insert into scores (id, i, u, part) values ('a,b', 1, 'taken', '[1,2)')`,
    from: { table, key: ["id"] },
    rows: [
      {
        id: "a,b",
        i: "1",
        u: "taken",
        must: "0",
        mail: null,
        j: null,
        part: "[1,2)",
      },
    ],
    isUncut: true,
    names: { "sample.scores:a,b": 0, a: false },
    writes: [
      {
        patches: refusals.map(refused),
        answers: refusals.map(([, , why]) => ({ rejected: why })),
        leaves: ["a,b 1"],
        left,
      },
      {
        patches: [
          patch("a,b", { i: 2 }),
          patch("b", { i: bad }),
          patch("c", { i: 3 }),
          patch("d", { i: 4 }),
          patch("a,b", { i: bad }),
          patch(null, { i: 1 }),
          patch("d", { i: 5 }),
        ],
        answers: [
          { rejected },
          { rejected },
          "written",
          "written",
          { rejected },
          { rejected: "the key column id has no value" },
          "written",
        ],
        leaves: ["a,b 1", "c 3", "d 5"],
        left,
      },
      {
        patches: [patch("a,b", { i: 7, j: { a: ["\ud800"] } })],
        answers: [{ rejected: "the column j would get half of a character (a lone surrogate)" }],
        leaves: ["a,b 1", "c 3", "d 5"],
        left,
      },
    ],
  };
}

const typed: Readonly<Record<string, readonly [type: string, value: JsonValue, text: string]>> = {
  n: ["numeric(10, 2)", 0.125, "0.13"],
  t: ["text", { a: [1, null] }, '{"a":[1,null]}'],
  c: [`char(4) collate "POSIX"`, "ab", "ab"],
  at: ["timestamptz", "2024-03-10T00:00:00.5+09:00", "2024-03-09T15:00:00.500000Z"],
  j: ["json", { b: 1, a: 2 }, '{"b":1,"a":2}'],
  x: ["xml", "<a/>", "<a/>"],
  list: ["text[]", ['a"b', null], String.raw`["a\"b",null]`],
  docs: ["json[]", [{ a: 1 }], '[{"a":1}]'],
  mail: ["mail", "a@b", "a@b"],
  square: ["box", "(1,1),(0,0)", "(1,1),(0,0)"],
};

/** Values that only their types can parse, and that have no `=`, or one with another meaning. */
function byType(site: Site): Sketch {
  const columns = Object.entries(typed);
  const set = columns.map(([name, [, value]]) => [name, value] as const);
  const moved = { square: "(2,2),(1,1)" };
  return {
    what: "patches of many types",
    sql: `create domain mail as text check (value like '%@%');
      create table scores (id numeric primary key, ${columns.map(([name, [type]]) => `${name} ${type}`).join(", ")})`,
    from: { table },
    isUncut: true,
    writes: [
      { patches: [patch("1.0", Object.fromEntries(set))], answers: ["written"] },
      // With the same area.
      { patches: [patch("1", moved)], answers: ["written"] },
      {
        patches: [patch("1", moved), patch("2", moved), patch("1.00", { square: "(2,2),(0,0)" })],
        answers: ["written", "written", "written"],
        leaves: ["1.0 (2,2),(0,0)", "2 (2,2),(1,1)"],
        left: reads(site, "id::text, square::text"),
      },
      {
        patches: [patch("1", { n: 1 }), patch("1.0", { n: 1 })],
        answers: ["written", "written"],
        leaves: ["1.0 1.00 2024-03-09 15:00:00.500", "2  "],
        left: reads(
          site,
          "id::text, n::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as at",
        ),
      },
    ],
  };
}

/** Rows that are changed but never added; and tables that may not be written. */
function bounded(site: Site): readonly Sketch[] {
  const sql = "create table scores (id int primary key, n int); insert into scores values (1, 1)";
  const rows = [{ id: "1", n: "1" }];
  return [
    {
      what: "patches that add no rows",
      sql,
      from: { table, insert: false },
      rows,
      isUncut: true,
      writes: [
        {
          patches: [patch(2, { n: 1 }), patch(1, { n: 2 })],
          answers: ["missing", "written"],
          leaves: ["1 2"],
          left: reads(site, "id, n"),
        },
        { patches: [patch(2, {}), patch(1, {})], answers: ["missing", "unchanged"] },
      ],
    },
    {
      what: "patches of a role that may not write",
      sql: "create table scores (id int primary key, n int)",
      from: { table, url: site.readerUrl },
      isUncut: true,
      writes: [
        {
          patches: [patch(1, { n: 2 })],
          throws: { code: "ConfigError", says: "permission denied" },
          checkThrows: {
            code: "ConfigError",
            field: "table",
            says: `grant insert, update on "sample"."scores" to`,
          },
        },
      ],
    },
  ];
}

/** Writes into many kinds of tables. */
export function writeCases(site: Site): readonly TestCase[] {
  return casesOf(site, [byTwo(site), refusing(site), byType(site), ...bounded(site)]);
}
