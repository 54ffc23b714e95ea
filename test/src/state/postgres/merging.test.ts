import { expect, it } from "vitest";

import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openPostgresInline, schemaOf } from "../../../support/project/inline-postgres.ts";
import { numbers } from "../../../support/sequences.ts";
import { at, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "../store/versioned-keys.ts";

const file = { form: "file", host: "h", at } as const;

/** A chunk that has left, in a store with slow writes. */
async function leaving(of: readonly string[], slow: string) {
  const test = await StoreUnderTest.open(openPostgresInline);
  const { url, schema } = await schemaOf(test.folder);
  const query = async (sql: string) =>
    await runSql(url.reveal(), `set search_path to ${schema}; ${sql}`);
  const kept = new VersionedKeys(test);
  await test.openRun("r1");
  const ref = await kept.stage({ runId: "r1", version: 1, of });
  const counts = { ...staged.counts, read: of.length, records: of.length };
  await test.store.finishStage({ ...ref, ...staged, counts, keys: JSON.stringify(of) });
  await test.store.beginPart({ ...ref, ...file, part: 0 });
  await query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.1); return new; end $$;
     ${slow}`,
  );
  const sleeping =
    "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
  const isSlow = async (): Promise<void> =>
    await expect
      .poll(async () => (await query(sleeping)).length, { interval: 10, timeout: 30_000 })
      .toBe(1);
  return { test, kept, ref, query, isSlow };
}

/** Makes the service refuse the first record of a chunk. */
async function refuse(
  { store }: StoreUnderTest,
  ref: StageName,
  { key, records }: { readonly key: string; readonly records: number },
): Promise<void> {
  const reject = { stream: "account", place: "f:1", step: "send", code: "x", reason: "x" } as const;
  const files = { jsonlSha256: null, gzipSha256: null, jsonBytes: 1, gzipBytes: 1 };
  await store.splitPart({
    ...ref,
    part: 0,
    at,
    host: "h",
    isTooLarge: false,
    rejects: [{ ...reject, key }],
    parts: [{ ...files, ranges: [[1, records]], records: records - 1, part: 1 }],
  });
}

it("a record that is refused while its key is written is unknown", async () => {
  const { test, kept, ref, query, isSlow } = await leaving(
    ["a", "b"],
    "create trigger slow before insert on fingerprints for each row execute function slow()",
  );
  const preparing = test.store.prepareCommit(ref);
  await isSlow();
  await refuse(test, ref, { key: "a", records: 2 });
  await preparing;
  await query("drop function slow cascade");
  const again = { ...ref, part: 1, at };
  await test.store.beginPart({ ...file, ...again });
  await test.move({ ...again, state: "uploaded", fileKey: "k" });
  await test.store.beginPart({ ...file, ...again, confirm: "k" });
  await test.move({ ...again, state: "accepted" });
  await test.store.commitChunk({ ...ref, at });
  expect(await kept.versions("a", "b")).toEqual(["unknown", 1]);
}, 60_000);

it("what a chunk is refused goes before the keys of it that are still to be written", async () => {
  const keys = numbers(30_000).map((number) => `k${number}`);
  const { test, ref, query, isSlow } = await leaving(
    keys,
    `create trigger slow before insert on fingerprints for each statement execute function slow();
     create trigger slow before insert on rejects for each statement execute function slow()`,
  );
  const ended: string[] = [];
  const preparing = test.store.prepareCommit(ref).then(() => ended.push("prepared"));
  await isSlow();
  await refuse(test, ref, { key: "k1", records: keys.length });
  ended.push("refused");
  await preparing;
  await query("drop function slow cascade");
  expect(ended).toEqual(["refused", "prepared"]);
}, 60_000);
