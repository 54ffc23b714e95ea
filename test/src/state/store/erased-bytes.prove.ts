import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openPostgresInline, schemaOf } from "../../../support/project/inline-postgres.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";

const canary = "canary-5b1d-of-bytes";

/** The files of a server's tables that hold the text; its log is not among them. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const base = join(folder, "base");
  const found: string[] = [];
  for (const file of await readdir(base, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    if ((await readFile(path).catch(() => Buffer.alloc(0))).includes(text)) found.push(path);
  }
  return found;
}

it("is in no byte of the tables of a Postgres server once it was erased, and they were written anew", async () => {
  const { store, folder } = await StoreUnderTest.open(openPostgresInline);
  const test = StoreUnderTest.of(folder, store);
  await test.openRun("r1");
  const { stage } = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
  const reject = {
    stream: "account",
    step: "validate",
    code: "required",
    reason: "empty",
  } as const;
  const rejects = [{ ...reject, place: "a.csv:2", key: canary, row: `{"id":"${canary}"}` }];
  await store.addRejects({ runId: "r1", chunk: 1, stage, rejects, at });
  await test.commit({ runId: "r1", chunk: 1, stage }, { ...staged, keys: `["${canary}"]` });
  await store.endRun({ runId: "r1", outcome: "done", endedAt: at });
  const { url, schema } = await schemaOf(folder);
  const query = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    await runSql(url.reveal(), sql);
  const [shown] = await query("show data_directory");
  const data = String(shown?.["data_directory"]);
  await query("checkpoint");
  expect(await filesWith(data, canary)).not.toEqual([]);
  await store.eraseKey({
    ...name,
    key: canary,
    now: { nowMs: Date.now() },
  });
  for (const { tablename } of await query(
    `select tablename from pg_tables where schemaname = '${schema.replaceAll('"', "")}'`,
  )) {
    await query(`vacuum full ${schema}."${String(tablename)}"`);
  }
  await query("checkpoint");
  expect(await filesWith(data, canary)).toEqual([]);
}, 120_000);
