import { expect, it } from "vitest";

import { writeStatement } from "../../../../connectors/postgres/sql/write-statement.ts";

it("a write-back has no word that Postgres 11 does not know", () => {
  const table = {
    name: { table: "scores" },
    key: [{ name: "id", type: "text", isComparedAsText: false }],
    set: [{ name: "fit", type: "integer", isComparedAsText: false }],
  };
  const statements = [writeStatement(table, true), writeStatement(table, false)];
  for (const sql of statements) expect(sql).toMatch(/^with input as \(/);
  expect(statements.join()).not.toContain("materialized");
});
