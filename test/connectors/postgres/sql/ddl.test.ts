import { describe, expect, it } from "vitest";

import type { Column } from "../../../../connectors/contract/connector.ts";
import { ddlOf } from "../../../../connectors/postgres/sql/ddl.ts";
import { writePostgres } from "../../../../connectors/postgres/write.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { nameBytesMax } from "../../../../src/postgres/names.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { readRequestOf } from "../support.ts";

const url = "postgres://sluice@127.0.0.1/crm";
const key: readonly Column[] = [{ name: "id", type: "string" }];

function named(name: string): string {
  return ddlOf({
    config: readRequestOf(url, { table: "t" }).config,
    key,
    set: [{ name, type: "json" }],
  });
}

describe("ddlOf", () => {
  it("makes what a write-back needs", async () => {
    const { url: own, query } = await postgres();
    await query('create schema "My.Schema"');
    const ask = readRequestOf(own, { table: '"My.Schema"."The ""Scores"""' });
    const { config } = ask;
    const set: readonly Column[] = [
      { name: "fit", type: "number" },
      { name: "on", type: "boolean" },
      { name: "day", type: "date", isNullable: false },
      { name: "at", type: "time" },
      { name: "all", type: "json" },
      { name: "else", type: "other" },
    ];
    const statement = ddlOf({ config, key: [...key, { name: "Event", type: "string" }], set });
    expect(statement).toBe(`create table if not exists "My.Schema"."The ""Scores""" (
  "id" text not null,
  "Event" text not null,
  "fit" numeric,
  "on" boolean,
  "day" date not null,
  "at" timestamptz,
  "all" jsonb,
  "else" text,
  primary key ("id", "Event")
);`);
    await query(statement);
    // A second run changes nothing.
    await query(statement);
    const values = {
      fit: 1,
      on: true,
      day: "2024-03-10",
      at: "2024-03-10T00:00:00Z",
      all: [],
      else: "x",
    };
    const patches = [{ key: { id: "a", Event: "b" }, set: values }];
    expect(await writePostgres({ ...ask, patches })).toEqual([{ done: "written" }]);
  });

  it("takes names of up to 63 bytes", () => {
    for (const name of ["x".repeat(nameBytesMax - 1), "x".repeat(nameBytesMax)]) {
      expect(named(name)).toContain(`"${name}" jsonb`);
    }
    expect(() => named("x".repeat(nameBytesMax + 1))).toThrow(ConfigError);
    // 32 characters of two bytes each.
    expect(() => named("é".repeat(32))).toThrow(ConfigError);
  });

  it("asks for a table", () => {
    const { config } = readRequestOf(url);
    expect(() => ddlOf({ config, key, set: [] })).toThrow(ConfigError);
  });
});
