import { describe, expect, it } from "vitest";

import { beforePostgres } from "../../../connectors/postgres/before.ts";
import { postgresPosition } from "../../../connectors/postgres/position.ts";
import { ConfigError } from "../../../src/errors.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf, columnIn, pagesOf } from "./support.ts";

type ConnectorRequest = ReturnType<typeof readRequestOf>;

/** One column of the rows before a place, and from it on. */
async function around(
  ask: ConnectorRequest,
  place: string,
  column: string,
): Promise<readonly [before: readonly unknown[], from: readonly unknown[]]> {
  const position = postgresPosition.parse(await beforePostgres({ ...ask, place }));
  const first = columnIn(await pagesOf(ask, { to: position }), column);
  const rest = columnIn(await pagesOf(ask, { from: position }), column);
  expect([...first, ...rest]).toEqual(columnIn(await pagesOf(ask), column));
  return [first, rest];
}

async function refusal(ask: ConnectorRequest, place: string): Promise<unknown> {
  const refused = await beforePostgres({ ...ask, place }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  return refused;
}

describe("beforePostgres", () => {
  it("of a number of the key covers the smaller ones", async () => {
    const { query, url } = await postgres();
    await query(
      "create table t (id bigint primary key); insert into t select generate_series(1, 7)",
    );
    const ask = readRequestOf(url, { table: "t" });
    expect((await around(ask, "5", "id"))[0]).toEqual(["1", "2", "3", "4"]);
    expect((await around(ask, " 1 ", "id"))[0]).toEqual([]);
    expect((await around(ask, "-7", "id"))[0]).toEqual([]);
    expect((await around(ask, "007", "id"))[1]).toEqual(["7"]);
    expect((await around(ask, "9223372036854775807", "id"))[1]).toEqual([]);
  });

  it("covers a row that comes later with a key below the place", async () => {
    const { query, url } = await postgres();
    await query("create table t (id int primary key); insert into t values (1), (9)");
    const ask = readRequestOf(url, { table: "t" });
    const to = await beforePostgres({ ...ask, place: "5" });
    await query("insert into t values (4), (5)");
    expect(columnIn(await pagesOf(ask, { to }), "id")).toEqual(["1", "4"]);
  });

  it("of a number of the change column covers what changed before, whatever its key", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, version int not null);
      insert into t select n, 10 - n / 3 from generate_series(1, 9) n`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "version" } });
    expect(await around(ask, "9", "version")).toEqual([
      ["7", "8", "8", "8"],
      ["9", "9", "9", "10", "10"],
    ]);
  });

  it("takes a fraction where the change column has one", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, version numeric(10, 2) not null);
      insert into t values (1, -1.5), (2, 1.25), (3, 1.5), (4, 12345678901234567.25 / 1e10)`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "version" } });
    expect((await around(ask, "1.5", "version"))[0]).toEqual(["-1.50", "1.25"]);
    expect((await around(ask, "1.2500001", "version"))[0]).toEqual(["-1.50", "1.25"]);
    expect((await around(ask, "-1", "version"))[0]).toEqual(["-1.50"]);
    for (const place of ["1e3", "NaN", "1,5", ""]) {
      expect(await refusal(ask, place)).toMatchObject({
        message: "the place is not a number, as version (numeric) holds them",
        hint: "Give a number: 48211.5.",
      });
    }
  });

  it.each(["timestamptz", "date"])("asks for a time where %s says what changed", async (type) => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at ${type} not null)`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at" } });
    expect(await refusal(ask, "48211")).toMatchObject({
      message: "at holds times, so a place in it is a time",
      hint: "Give a time: 2026-10-23, 2026-10-23T08:30:00Z.",
    });
  });

  it("refuses what a column of whole numbers cannot hold", async () => {
    const { query, url } = await postgres();
    await query("create table t (id smallint primary key)");
    const byKey = readRequestOf(url, { table: "t" });
    const byChange = readRequestOf(url, { table: "t", changed_by: { column: "id" } });
    for (const place of ["1.5", "x", "", "line 5", "32768", "-32769", "9".repeat(5_000)]) {
      for (const ask of [byKey, byChange]) {
        expect(await refusal(ask, place)).toMatchObject({
          message: "the place is not a whole number that id (smallint) can hold",
          hint: "Give a whole number: 48211.",
        });
      }
    }
  });

  it("says that nothing comes before the smallest number", async () => {
    const { query, url } = await postgres();
    await query("create table t (id smallint primary key); insert into t values (-32768)");
    const ask = readRequestOf(url, { table: "t" });
    expect(await refusal(ask, "-32768")).toMatchObject({
      message: "nothing comes before the smallest smallint",
      hint: "Leave it away to begin with the first row.",
    });
    expect((await around(ask, "-32767", "id"))[0]).toEqual(["-32768"]);
  });

  it.each([
    ["id text primary key", "the key id is text"],
    ["id numeric primary key", "the key id is numeric"],
    ["id constructor primary key", "the key id is constructor"],
    ["a int, b int, primary key (a, b)", "the key has 2 columns (a, b)"],
  ])("refuses a place in the key of %s, and names another way", async (columns, what) => {
    const { query, url } = await postgres();
    await query(`create type constructor as enum ('a'); create table t (${columns})`);
    expect(await refusal(readRequestOf(url, { table: "t" }), "ann@mail.example")).toMatchObject({
      message: `${what}, and a place is one whole number`,
      hint: "Set changed_by and give a time, name the rows by their keys, or leave from and to away to read all of it.",
    });
  });

  it("says what is wrong with the source before it looks at the place", async () => {
    const { url } = await postgres();
    await expect(
      beforePostgres({ ...readRequestOf(url, { table: "missing" }), place: "1" }),
    ).rejects.toThrow("there is no table missing");
  });
});
