import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { createKeyHashes } from "../../../../src/state/rules/keys/key-hashes.ts";
import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import { secretOf } from "../../../../src/state/sqlite/keys/key-functions.ts";
import { migrations } from "../../../../src/state/sqlite/migrations/migrations.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { at, name, staged, StoreUnderTest } from "../store-under-test.ts";

/** The schema version in which a staging wrote directly into the fingerprints. */
const unstaged = 6;

/** A store of that version, opened by this sluice, with an open staging: its first, of two keys. */
async function olderStore(): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-state-"));
  const older = openDatabase(join(folder, "state.db"), migrations.slice(0, unstaged));
  const { target, sync } = name;
  const run = `insert into runs (run_id, sync, target, kind, workflow_id, first_run_id, temporal_id, config_hash,
      request, started_at, checkpoint_before, checkpoint_version)
    values ('r1', '${sync}', '${target}', 'sync', 'wf', 'first', 't', 'c', '{}', '${at}', 0, 0)`;
  const staging = `insert into stagings (send, run_id, chunk, stage, host, drawn_scheduled, drawn_attempt, state)
    values (1, 'r1', 1, 1, 'h', 0, 0, 'staging')`;
  const set = `insert into fingerprint_sets (id, target, sync, next_id) values (1, '${target}', '${sync}', 3)`;
  for (const sql of [run, staging, set]) older.prepare(sql).run();
  const { numbers, tags } = createKeyHashes(secretOf(older))(1, textBlockOf(["a", "b"]));
  const key = older.prepare(
    `insert into fingerprints (set_id, number, tag, hash, send, id)
     values (1, $number, $tag, zeroblob(16), 1, $id)`,
  );
  key.run({ number: numbers[0] ?? 0n, tag: tags.subarray(0, 8), id: 1 });
  key.run({ number: numbers[1] ?? 0n, tag: tags.subarray(8), id: 2 });
  older.close();
  const test = StoreUnderTest.of(folder, await openStoreInline(folder));
  onTestFinished(async () => {
    await test.store.close();
    await rm(folder, { recursive: true });
  });
  const workflow = { workflowId: "wf", firstRunId: "first", kind: "sync" } as const;
  await test.store.takeLock({ name: "lock of r1", runId: "r1", ...workflow, at });
  return test;
}

const ref = { runId: "r1", chunk: 1, stage: 1 };

async function states(test: StoreUnderTest): Promise<readonly string[]> {
  const known = await test.store.knownRecords({ ...name, keys: ["a", "b"] });
  return known.map(({ state }) => state);
}

it("a staging that is open in an older store counts with its commit", async () => {
  const test = await olderStore();
  expect(await states(test)).toEqual(["unknown", "unknown"]);
  await test.commit(ref, { keys: "[]" });
  expect(await states(test)).toEqual(["accepted", "accepted"]);
});

it("a staging that is open in an older store leaves its keys unknown where it is given up", async () => {
  const test = await olderStore();
  await test.store.finishStage({ ...ref, ...staged });
  await test.store.dropStagings({ runId: "r1" });
  expect(await states(test)).toEqual(["unknown", "unknown"]);
});
