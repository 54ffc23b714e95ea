import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { hashBytes, verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { ageOf } from "../../../../src/state/rules/keys/ages.ts";
import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import { migrations } from "../../../../src/state/sqlite/migrations/migrations.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { at, name, nowMs, StoreUnderTest } from "../store-under-test.ts";

/** The schema version in which a fingerprint held its whole key. */
const wholeKeys = 4;

/** A run of the older store, and its only staging. */
const insertRun = `insert into runs (run_id, sync, target, kind, workflow_id, first_run_id, temporal_id, config_hash,
    request, started_at, ended_at, checkpoint_before, checkpoint_version)
  values ($runId, '${name.sync}', '${name.target}', 'sync', 'wf', 'first', 't', 'c', '{}', '${at}', $endedAt, 0, 0)`;
const insertSend = `insert into sends (send, run_id, chunk, stage, host, drawn_scheduled, drawn_attempt, state,
    committed_at)
  values ($send, $runId, 1, 1, 'h', 0, 0, $state, ${nowMs})`;
const insertKey = `insert into fingerprints (set_id, key, hash, fields, send, seen, seen_before, id)
  values (1, $key, $hash, $fields, $send, $seen, $before, $id)`;

describe("a store whose fingerprints held whole keys", () => {
  let test: StoreUnderTest;

  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-state-"));
    const older = openDatabase(join(folder, "state.db"), migrations.slice(0, wholeKeys));
    const run = older.prepare(insertRun);
    const send = older.prepare(insertSend);
    run.run({ runId: "r1", endedAt: at });
    run.run({ runId: "r2", endedAt: null });
    send.run({ send: 1, runId: "r1", state: "committed" });
    send.run({ send: 2, runId: "r2", state: "staged" });
    const [set, fields] = [
      `insert into fingerprint_sets (id, target, sync, next_id) values (1, '${name.target}', '${name.sync}', 3)`,
      `insert into field_hashes (id, hashes) values (5, x'01000000')`,
    ];
    older.prepare(set).run();
    older.prepare(fields).run();
    const key = older.prepare(insertKey);
    const hash = new Uint8Array(hashBytes);
    const one = { hash, send: 1, fields: null, before: 0 };
    key.run({ ...one, key: "a", seen: ageOf(1, 5), fields: 5, id: 1 });
    key.run({ ...one, key: "é", seen: ageOf(2, 3), before: ageOf(1, 4), id: 2 });
    // From before there were ids.
    key.run({ ...one, key: "old", seen: ageOf(1, 3), id: null });
    older.close();
    test = StoreUnderTest.of(folder, await openStoreInline(folder));
    onTestFinished(async () => {
      await test.store.close();
      await rm(folder, { recursive: true });
    });
  });

  const stage = async (runId: string, more: { ages?: readonly number[] }): Promise<number[]> => {
    if (runId !== "r2") await test.openRun(runId);
    else {
      const workflow = { workflowId: "wf", firstRunId: "first", kind: "sync" } as const;
      await test.store.takeLock({ name: "lock of r2", runId, ...workflow, at });
    }
    const drawn = await test.store.beginStaging({
      runId,
      chunk: runId === "r2" ? 2 : 1,
      host: "h",
    });
    const ref = { runId, chunk: runId === "r2" ? 2 : 1, ...drawn };
    const rejectDuplicates = more.ages === undefined;
    return await test.judge({ ...ref, keys: ["a", "é", "old", "new"], rejectDuplicates, ...more });
  };

  it("knows what it knew, and the fields", async () => {
    const { unchanged, new: send } = verdict;
    await test.store.fieldSlots({ ...name, names: ["x"] });
    const known = await test.store.knownRecords({ ...name, keys: ["a", "é", "old", "new"] });
    const states = ["accepted", "accepted", "accepted", "new"];
    expect(known.map(({ state }) => state)).toEqual(states);
    expect(known[0]).toMatchObject({ fields: [{ name: "x", hash: 1 }], acceptedAt: nowMs });
    expect(await stage("r3", {})).toEqual([unchanged, unchanged, unchanged, send]);
  });

  it("knows how new each key is", async () => {
    const { superseded, new: send } = verdict;
    const ages = [ageOf(1, 4), ageOf(1, 3), ageOf(1, 2), ageOf(1, 1)];
    expect(await stage("r3", { ages })).toEqual([superseded, superseded, superseded, send]);
  });

  it("knows what a run saw that goes on", async () => {
    const { duplicate, unchanged, new: send } = verdict;
    expect(await stage("r2", {})).toEqual([unchanged, duplicate, unchanged, send]);
  });
});
