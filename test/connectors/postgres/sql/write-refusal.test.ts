import { describe, expect, it } from "vitest";

import type { Patch, Written } from "../../../../connectors/contract/connector.ts";
import { writePostgres } from "../../../../connectors/postgres/write.ts";
import { pageRowsMax } from "../../../../src/limits.ts";
import type { JsonValue } from "../../../../src/records/json-value.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { readRequestOf } from "../support.ts";

async function write(url: string, patches: readonly Patch[]): Promise<readonly Written[]> {
  return await writePostgres({ ...readRequestOf(url, { table: "scores" }), patches });
}

const poison = "poison-7d1f";

describe("refusalOf", () => {
  it("says of each value why it is refused, and never which value", async () => {
    const { url, query } = await postgres();
    await query(`
      create table owners (id int primary key);
      create domain mail as text check (value like '%@%');
      create function refuse() returns trigger language plpgsql as
        $$ begin if new.veto then raise exception 'no %', new.id; end if; return new; end $$;
      create table scores (id text primary key, i int, n numeric(4,2), v varchar(3), bits bit(3),
        at timestamptz, day date, j jsonb, u text unique, must int not null default 0, owner int references owners,
        low int constraint low_enough check (low < 10), mail mail, veto boolean, range int4range);
      create trigger refuse before insert or update on scores for each row execute function refuse();
      insert into scores (id, u) values ('there', '${poison}')`);
    const cases: readonly (readonly [column: string, value: JsonValue, reason: string])[] = [
      ["i", poison, "the column i: a value is not of its column's type"],
      ["i", 1.5, "the column i: a value is not of its column's type"],
      ["i", 2 ** 31, "the column i: a number is out of its column's range"],
      ["n", 100, "the column n: a number is out of its column's range"],
      ["v", "abcd", "the column v: a value is too long for its column"],
      ["bits", "1", "the column bits: a value is not of its column's type"],
      ["at", "2024-02-30", "the column at: a value is not of its column's type"],
      ["day", poison, "the column day: a value is not of its column's type"],
      ["range", "[2,1]", "the column range: a value is not of its column's type"],
      ["u", poison, "another row has the same values (scores_u_key)"],
      ["u", Array.from({ length: 9_000 }, () => Math.random()), "a value is too long for an index"],
      ["must", null, "the column must needs a value"],
      ["owner", 1, "it points to a row that does not exist (scores_owner_fkey)"],
      ["low", 10, "it breaks the rule low_enough"],
      ["mail", poison, "the column mail: it breaks the rule mail_check"],
      ["veto", true, "a trigger of the table refuses it"],
      ["j", "\0", "the column j would get a NUL, which text cannot hold"],
      ["j", { a: ["\ud800"] }, "the column j would get half of a character (a lone surrogate)"],
    ];
    for (const [column, value, rejected] of cases) {
      const set = Object.fromEntries([[column, value]]);
      expect([column, await write(url, [{ key: { id: poison }, set }])]).toEqual([
        column,
        [{ rejected }],
      ]);
    }
    expect(await write(url, [{ key: { id: null }, set: { i: 1 } }])).toEqual([
      { rejected: "the key column id has no value" },
    ]);
    expect(await query("select id from scores")).toEqual([{ id: "there" }]);
  });

  it("refuses the rows at fault alone, wherever they are in a page", async () => {
    const { url, query } = await postgres();
    await query("create table scores (id text primary key, fit int)");
    const bad = new Set([0, 1, 499, 500, 998, pageRowsMax - 1]);
    const page = Array.from({ length: pageRowsMax }, (_, n) => ({
      key: { id: String(n) },
      set: { fit: bad.has(n) ? poison : n },
    }));
    const rejected = "the column fit: a value is not of its column's type";
    const expected = (done: "written" | "unchanged"): readonly Written[] =>
      page.map((_, n) => (bad.has(n) ? { rejected } : { done }));
    expect(await write(url, page)).toEqual(expected("written"));
    const state = async (): Promise<unknown> =>
      await query("select xmin, id, fit from scores order by fit");
    const before = await state();
    expect(before).toHaveLength(pageRowsMax - bad.size);
    expect(await write(url, page)).toEqual(expected("unchanged"));
    expect(await state()).toEqual(before);
  });

  it("lets the last patch of a key win among refused ones too", async () => {
    const { url, query } = await postgres();
    await query("create table scores (id numeric primary key, fit int)");
    const values: readonly (readonly [id: string, fit: JsonValue])[] = [
      ["1", 0],
      ["2", poison],
      ["1.0", 1],
      ["1", 2],
    ];
    await write(
      url,
      values.map(([id, fit]) => ({ key: { id }, set: { fit } })),
    );
    expect(await query("select fit from scores")).toEqual([{ fit: 2 }]);
  });

  it("writes no older value of a key whose last one is refused", async () => {
    const { url, query } = await postgres();
    await query(
      "create table scores (id text primary key, fit int); insert into scores values ('a', 1)",
    );
    const page = [
      { key: { id: "a" }, set: { fit: 2 } },
      { key: { id: "a" }, set: { fit: poison } },
    ];
    const rejected = "the column fit: a value is not of its column's type";
    expect(await write(url, page)).toEqual([{ rejected }, { rejected }]);
    expect(await query("select * from scores")).toEqual([{ id: "a", fit: 1 }]);
  });
});
