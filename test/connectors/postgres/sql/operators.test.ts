import { describe, expect, it } from "vitest";

import { checkPostgres } from "../../../../connectors/postgres/check.ts";
import { getFromPostgres } from "../../../../connectors/postgres/get.ts";
import { postgres, type TestDatabase } from "../../../support/postgres/postgres.ts";
import { roleOf } from "../role.ts";
import { columnIn, pagesOf, readRequestOf } from "../support.ts";
import { scorePatch, writeScores } from "../write-scores.ts";

/** A database with an extension in a schema of its own, and a role whose search path does not have it. */
async function withExtension(): Promise<TestDatabase & { readonly name: string }> {
  const db = await postgres();
  await db.query(`create schema ext; create extension citext schema ext;
    create domain ext.address as ext.citext;
    create table t (email ext.citext collate "C" primary key);
    insert into t values ('apple'), ('Banana'), ('cherry');
    create table scores (id ext.address primary key, fit int);
    insert into scores values ('apple', 1)`);
  const { name, url } = await roleOf(
    db,
    (role) => `grant usage on schema ext to ${role}; grant select on t to ${role};
      grant select, insert, update on scores to ${role}`,
  );
  return { ...db, name, url };
}

// Rows come in the order of citext, and `>` would be that of text: Banana is not after apple.
const unseen =
  "email is ext.citext, whose schema is not in this role's search path: it would be compared as another type";

describe("a key of a type whose schema is not in the search path", () => {
  it.each([
    ["a table", { table: "t" }],
    ["a query", { query: "select email from t", key: ["email"] }],
  ])("is refused in %s, and read once the hint is followed", async (_, from) => {
    const { name, query, url } = await withExtension();
    const ask = readRequestOf(url, from);
    const reading = pagesOf(ask, { pageRowsMax: 1 });
    await expect(reading).rejects.toThrow(unseen);
    const hint = `alter role "${name}" set search_path = "$user", public, "ext";`;
    await expect(reading).rejects.toMatchObject({ field: "key", hint: `Run: ${hint}` });
    await expect(getFromPostgres({ ...ask, names: ["banana"] })).rejects.toThrow(unseen);
    expect((await checkPostgres(ask)).find((step) => !step.ok)).toMatchObject({ name: "key" });
    await query(hint);
    const pages = await pagesOf(ask, { pageRowsMax: 1 });
    const left = await pagesOf(ask, { from: pages[0]?.position });
    expect(columnIn(left, "email")).toEqual(["Banana", "cherry"]);
  });

  it("is refused in a table that is written to, also behind a domain", async () => {
    const { name, query, url } = await withExtension();
    const writing = writeScores(url, [scorePatch("Apple", 2)]);
    await expect(writing).rejects.toThrow("id is ext.citext, whose schema is not in");
    expect(await query("select fit from scores")).toEqual([{ fit: 1 }]);
    await query(`alter role ${name} set search_path = ext, public`);
    expect(await writeScores(url, [scorePatch("Apple", 2)])).toEqual([{ done: "written" }]);
    expect(await query("select * from scores")).toEqual([{ id: "apple", fit: 2 }]);
  });
});
