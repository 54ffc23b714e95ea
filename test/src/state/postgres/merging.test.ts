import { expect, it } from "vitest";

import { runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openPostgresInline, schemaOf } from "../../../support/project/inline-postgres.ts";
import { at, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "../store/versioned-keys.ts";

it("a record that is refused while its key is written is unknown", async () => {
  const test = await StoreUnderTest.open(openPostgresInline);
  const { url, schema } = await schemaOf(test.folder);
  const query = async (sql: string) =>
    await runSql(url.reveal(), `set search_path to ${schema}; ${sql}`);
  const kept = new VersionedKeys(test);
  await test.openRun("r1");
  const ref = await kept.stage({ runId: "r1", version: 1, of: ["a", "b"] });
  const counts = { ...staged.counts, read: 2, records: 2 };
  await test.store.finishStage({ ...ref, ...staged, counts, keys: '["a","b"]' });
  const part = { ...ref, part: 0, at };
  const file = { ...part, form: "file", host: "h" } as const;
  await test.store.beginPart(file);
  await query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return new; end $$;
     create trigger slow before insert on fingerprints for each row execute function slow()`,
  );
  const preparing = test.store.prepareCommit(ref);
  const sleeping =
    "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
  await expect
    .poll(async () => (await query(sleeping)).length, { interval: 10, timeout: 30_000 })
    .toBe(1);
  const reject = { stream: "account", place: "f:1", step: "send", code: "x", reason: "x" } as const;
  const files = { jsonlSha256: null, gzipSha256: null };
  await test.store.splitPart({
    ...part,
    host: "h",
    isTooLarge: false,
    rejects: [{ ...reject, key: "a" }],
    parts: [{ ...files, ranges: [[1, 2]], records: 1, jsonBytes: 1, gzipBytes: 1, part: 1 }],
  });
  await preparing;
  await query("drop function slow cascade");
  const again = { ...part, part: 1 };
  await test.store.beginPart({ ...file, part: 1 });
  await test.move({ ...again, state: "uploaded", fileKey: "k" });
  await test.store.beginPart({ ...file, part: 1, confirm: "k" });
  await test.move({ ...again, state: "accepted" });
  await test.store.commitChunk({ ...ref, at });
  expect(await kept.versions("a", "b")).toEqual(["unknown", 1]);
}, 60_000);
