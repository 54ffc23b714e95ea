import { sql } from "kysely";
import { expect, it } from "vitest";

import { StateUnavailableError } from "../../../../src/errors.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import { lookAtStore } from "../../../../src/state/postgres/look-at-store.ts";
import { asStoreError } from "../../../../src/state/postgres/store-error.ts";
import { openMigrated, setInDatabase } from "./postgres-store.ts";

it("a store says what to do where the role bounds what a statement may take", async () => {
  const { state, server, test } = await openMigrated();
  await setInDatabase(test, "statement_timeout", "50ms");
  const failed = await sql`select pg_sleep(5)`
    .execute(state.queries)
    .catch((error: unknown) => asStoreError(error, server, true));
  expect(failed).toBeInstanceOf(StateUnavailableError);
  expect(failed).toHaveProperty("hint", expect.stringContaining("set statement_timeout to 0"));
});

it("a store says what to do where the disk of its server is full", async () => {
  const { state, server } = await openMigrated();
  const failed = await sql`do $$ begin raise sqlstate '53100' using message = 'disk full'; end $$`
    .execute(state.queries)
    .catch((error: unknown) => asStoreError(error, server, true));
  expect(failed).toBeInstanceOf(StateUnavailableError);
  expect(failed).toHaveProperty("message", expect.stringContaining("disk full (53100)"));
  expect(failed).toHaveProperty("hint", expect.stringContaining("make room on the disk"));
});

it("a store is as large as its own tables are", async () => {
  const { server, test } = await openMigrated();
  const { bytes } = await lookAtStore(server);
  const of = quoteName(server.schema);
  await test.query(
    `create table ${of}.others as select repeat('x', 900) from generate_series(1, 2000)`,
  );
  const grown = (await lookAtStore(server)).bytes - bytes;
  expect(bytes).toBeGreaterThan(100_000);
  expect(grown).toBeLessThan(1_000_000);
});
