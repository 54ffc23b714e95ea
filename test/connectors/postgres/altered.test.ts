import { describe, expect, it } from "vitest";

import { readPostgres } from "../../../connectors/postgres/read.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf } from "./support.ts";

const altered = {
  code: "Unavailable",
  message: "columns of public.t were altered while they were read",
};

describe("readPostgres of a table that changes", () => {
  it.each([
    "drop w",
    "rename w to x",
    "alter v type boolean using v::boolean",
    "alter id type text",
  ])("has rows read again that are altered between two blocks: %s", async (how) => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, v text, w text);
        insert into t select n, 'true', 'w' from generate_series(1, 25000) n`);
    const reading = readPostgres({ ...readRequestOf(url, { table: "t" }), pageRowsMax: 10_000 });
    await reading.next();
    await query(`alter table t ${how}`);
    // The second block may have been read ahead.
    const rest = async (): Promise<void> => {
      while ((await reading.next()).done !== true) continue;
    };
    await expect(rest()).rejects.toMatchObject(altered);
  });
});
