import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { imbalance } from "../../../../src/report/report.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { at, implementations, name, nowMs, staged, StoreUnderTest } from "../store-under-test.ts";
import { rawTables } from "./raw-tables.ts";

const canary = "canary-7f3e";
const now = { nowMs };
const row = (key: string): string => JSON.stringify({ id: key, mail: "a@b.example" });
const reject = { stream: "account", step: "validate", code: "required", reason: "empty" } as const;

/** Everything that a store may hold about a key besides its fingerprint and rejects, as rows of its tables. */
const planted = `
  insert into refusals (set_id, key, hash, code, noted_at) values (1, '${canary}', '00', 'refused', '${at}');
  insert into doubts (set_id, key, request) values (1, '${canary}', 1);
  insert into doubts (set_id, key, request) values (1, 'other', 1);
  insert into stray_keys (set_id, key, run_id) values (1, '${canary}', 'r1');
  insert into plans (run_id, plan, samples)
    values ('r1', '{}', '["{\\"id\\":\\"${canary}\\"}","{\\"id\\":\\"other\\"}"]');
  insert into pull_pages (target, pull, page)
    values ('sandbox main', 'scores', '{"items":[{"source":{"id":"${canary}"}},{"source":{"id":"other"}}]}');
  insert into sent_keys (send, keys) select send, '["${canary}","other"]' from stagings;
  update stagings set to_position = '{"key":["${canary}"]}';
  update runs set request = '{"keys":["${canary}","other"]}'`;

/** What `state adopt` stores for every record, with the tag and hash expressions of each database. */
const adoptedOf = (tag: string, hash: string): string => `
  insert into adopted (set_id, number, tag, adoption, id, send, hash, hash_before)
    select set_id, number, ${tag}, 1, id, send, ${hash}, ${hash} from fingerprints`;

describe.each(implementations)("what is kept of a key: $kind", ({ kind, open }) => {
  let test: StoreUnderTest;
  let store: StateStore;

  beforeEach(async () => {
    test = await StoreUnderTest.open(open);
    ({ store } = test);
    await test.openRun("r1");
    const { stage, send } = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
    const of = { runId: "r1", chunk: 1, stage };
    await test.stageKeys({ ...of, send, keys: [canary, "other"] });
    const rejects = [
      { ...reject, place: "a.csv:2", key: canary, row: row(canary) },
      { ...reject, place: "a.csv:3", row: `x,${canary},y` },
      { ...reject, place: "a.csv:4", row: row(`${canary}0`) },
      { ...reject, place: "a.csv:5", key: "other", row: row("other") },
    ];
    await store.addRejects({ ...of, rejects, at });
    const counts = { ...staged.counts, read: 14, rejected: 4 };
    await test.commit(of, { keys: JSON.stringify([canary, "other"]), counts });
  });

  const end = async (): Promise<void> => {
    await store.endRun({ runId: "r1", outcome: "done", endedAt: at });
  };

  it("is of a service and account that the store names, also where only a page is left", async () => {
    const raw = rawTables(kind, test.folder);
    await raw.run(
      "insert into pull_pages (target, pull, page) values ('https://other main', 'scores', '{}')",
    );
    expect(await store.targets()).toEqual(["https://other main", name.target]);
  });

  const positionsErased = async (key: string): Promise<number> =>
    (await store.eraseKey({ ...name, key, now })).positions;

  it("is erased wherever it is, and nothing else", async () => {
    await end();
    const raw = rawTables(kind, test.folder);
    await raw.run(planted);
    await raw.run(
      kind === "sqlite" ? adoptedOf("tag", "hash") : adoptedOf("int8send(tag)", "uuid_send(hash)"),
    );
    expect(await store.eraseKey({ ...name, key: canary, now })).toEqual({
      fingerprints: 1,
      rejects: 2,
      notes: 3,
      keyLists: 2,
      samples: 1,
      results: 1,
      positions: 1,
    });
    const left = await raw.dump();
    expect(left.replaceAll(`${canary}0`, "")).not.toContain(canary);
    const gone = { place: "(forgotten)", key: null, field: null, row: null, isOpen: false };
    expect(await store.rejects({ runId: "r1", limit: 9 })).toMatchObject([
      { ...gone, code: "required", reason: "a required field is empty" },
      { ...gone, code: "required", replayedBy: null },
      { place: "a.csv:4" },
      { place: "a.csv:5", key: "other" },
    ]);
    expect(await store.knownRecords({ ...name, keys: [canary, "other"] })).toMatchObject([
      { state: "new" },
      { state: "accepted" },
    ]);
    expect(await store.lostKeys({ ...name, limit: 9 })).toEqual([]);
    expect(left.match(/^adopted /gm)).toHaveLength(1);
    for (const table of ["doubts", "plans", "pull_pages", "sent_keys"]) {
      expect(left).toMatch(new RegExp(`^${table} .*other`, "m"));
    }
    expect(await store.eraseKey({ ...name, key: canary, now })).toMatchObject({
      fingerprints: 0,
      rejects: 0,
      notes: 0,
    });
  });

  it("stays in the counts of its run, whose report balances, and is not replayed", async () => {
    await end();
    const of = { runId: "r1", staged: false };
    const before = await store.tally(of);
    expect(imbalance(before)).toBeUndefined();
    expect(await store.replayCounts({ run: "r1" })).toMatchObject({ open: 4 });
    expect(await store.eraseKey({ ...name, key: canary, now })).toMatchObject({ rejects: 2 });
    expect(await store.tally(of)).toEqual(before);
    expect(await store.replayCounts({ run: "r1" })).toMatchObject({ open: 2, uncommitted: 0 });
    expect(await store.runsWithOpenRejects(name)).toMatchObject([{ runId: "r1", open: 1 }]);
    expect(await store.eraseKey({ ...name, key: "forgotten", now })).toMatchObject({ rejects: 0 });
    await test.openRun("r2", "replay");
    await store.listReplay({ runId: "r2", run: "r1" });
    const listed = await store.replayPage({ runId: "r2", after: 0, limit: 9 });
    expect(listed?.places).toEqual(["a.csv:4", "a.csv:5"]);
  });

  it("is looked for in the keys and the note of what a run was asked for, and in no other word of it", async () => {
    await end();
    const request = { mode: "heavyweight", limit: 100, keys: ["k1", "k2"], note: "k1" };
    await rawTables(kind, test.folder).run(
      `update runs set request = '${JSON.stringify(request)}'`,
    );
    for (const key of ["heavyweight", "100"]) {
      expect(await store.eraseKey({ ...name, key, now })).toMatchObject({ keyLists: 0 });
    }
    expect((await store.run("r1"))?.request).toEqual(request);
    expect(await store.eraseKey({ ...name, key: "k1", now })).toMatchObject({ keyLists: 1 });
    expect((await store.run("r1"))?.request).toEqual({
      ...request,
      keys: ["(forgotten)", "k2"],
      note: "(forgotten)",
    });
  });

  it("is not the offset, line or device of a file, nor the clock or table of a database", async () => {
    await end();
    const raw = rawTables(kind, test.folder);
    const inFile = { file: "a.csv", offset: 9, line: 5001, dev: "2049" };
    await raw.run(`update runs set places_are_lines = 1;
      update stagings set to_position = '${JSON.stringify(inFile)}'`);
    for (const key of ["9", "5001", "2049", "a.csv"]) expect(await positionsErased(key)).toBe(0);
    expect(await raw.dump()).toContain("5001");
    const changed = { of: "crm", changed: "7", clock: 17, table: "2049", key: ["k"] };
    await raw.run(`update runs set places_are_lines = 0;
      update stagings set to_position = '${JSON.stringify(changed)}'`);
    for (const key of ["17", "2049", "crm"]) expect(await positionsErased(key)).toBe(0);
    await raw.run(`update stagings set from_position = '{"of":"crm","changed":"7","clock":17}'`);
    expect(await positionsErased("17")).toBe(0);
    expect(await positionsErased("k")).toBe(1);
  });

  it("is not the line, the event or the result of a reject without a key", async () => {
    await end();
    const raw = rawTables(kind, test.folder);
    const erasedAt = async (place: string, run: string): Promise<number> => {
      await raw.run(`update runs set ${run};
        update rejects set place = '${place}' where place like '%:3' or place like '%78%'`);
      return (await store.eraseKey({ ...name, key: "78", now })).rejects;
    };
    expect(await erasedAt("a.csv:78", "places_are_lines = 1")).toBe(0);
    expect(await erasedAt("forms#78", "kind = 'inbox'")).toBe(0);
    const asPull = "kind = 'pull', places_are_lines = 0";
    expect(await erasedAt("result 78 of its page", asPull)).toBe(0);
    expect(await store.replayCounts({ run: "r1" })).toMatchObject({ open: 4 });
    expect(await erasedAt("crm.companies:78", "kind = 'sync'")).toBe(1);
    await raw.run("update rejects set place = '7.8' where place like '%:4'");
    await raw.run("update runs set kind = 'pull'");
    expect((await store.eraseKey({ ...name, key: "7.8", now })).rejects).toBe(1);
  });

  it("is erased in where runs came to that were pruned, and in checkpoints that a person set", async () => {
    await end();
    // The newest success is not pruned.
    await test.openRun("r2");
    await store.endRun({ runId: "r2", outcome: "done", endedAt: at });
    const raw = rawTables(kind, test.folder);
    const position = { key: [canary] };
    await raw.run(`update stagings set to_position = '${JSON.stringify(position)}'`);
    const { version } = await store.checkpoint(name);
    const set = await store.setCheckpoint({ ...name, version, position, reason: "a test", at });
    await store.setCheckpoint({
      ...name,
      version: set.version,
      position: null,
      reason: "back",
      at,
    });
    expect(await store.pruneRuns({ before: "2027-01-01T00:00:00.000Z" })).toBe(1);
    expect((await raw.dump()).match(new RegExp(canary, "g"))).toHaveLength(2);
    expect(await store.eraseKey({ ...name, key: canary, now })).toMatchObject({ positions: 2 });
    expect(await raw.dump()).not.toContain(canary);
    expect(await store.knownRecords({ ...name, keys: ["other"] })).toMatchObject([
      { state: "accepted" },
    ]);
  });

  it("stays in the counts of a pull, whose report balances", async () => {
    await end();
    await test.openRun("p1", "pull");
    const pull = { target: name.target, pull: "scores", runId: "p1" };
    const how = { configHash: "c", queryHash: "q", writeHash: "w", anew: false, hasDomains: false };
    await store.beginPull({ ...pull, ...how });
    const version = (await store.pullPlace(pull))?.version ?? 0;
    const counts = { read: 2, written: 1, unchanged: 0, missing: 0 };
    const rejects = [{ ...reject, step: "write", place: canary, row: row(canary) } as const];
    const page = { pass: null, counts, rejects, keys: [], isRefusal: false, at };
    await store.commitPage({ ...pull, version, ...page });
    await store.endRun({ runId: "p1", outcome: "done", endedAt: at });
    const before = await store.pullTally({ runId: "p1" });
    expect(before).toMatchObject({ refused: 1, rejected: 1 });
    expect(await store.eraseKey({ ...name, key: canary, now })).toMatchObject({ rejects: 3 });
    expect(await store.pullTally({ runId: "p1" })).toEqual(before);
  });

  it("stays while a run of its sync is open, and is not forgotten either", async () => {
    const refused = { code: "Busy", message: "run r1 of sync accounts is open" };
    await expect(store.eraseKey({ ...name, key: canary, now })).rejects.toMatchObject(refused);
    await expect(store.forgetKeys({ ...name, keys: [canary] })).rejects.toMatchObject(refused);
    expect(await store.knownRecords({ ...name, keys: [canary] })).toMatchObject([
      { state: "accepted" },
    ]);
  });

  it("is forgotten where it is only to be sent again: its rejects stay", async () => {
    await end();
    await store.forgetKeys({ ...name, keys: [canary, "never"] });
    expect(await store.knownRecords({ ...name, keys: [canary, "other"] })).toMatchObject([
      { state: "new" },
      { state: "accepted" },
    ]);
    expect(await store.rejects({ runId: "r1", limit: 9 })).toHaveLength(4);
  });
});

it("is in no byte of a SQLite store once it was shredded", async () => {
  const [sqlite] = implementations;
  if (sqlite === undefined) throw new Error("there is no SQLite store");
  const { store, folder } = await StoreUnderTest.open(sqlite.open);
  const test = StoreUnderTest.of(folder, store);
  await test.openRun("r1");
  const { stage } = await store.beginStaging({ runId: "r1", chunk: 1, host: "h" });
  const rejects = [{ ...reject, place: "a.csv:2", key: canary, row: row(canary).repeat(2_000) }];
  await store.addRejects({ runId: "r1", chunk: 1, stage, rejects, at });
  await test.commit({ runId: "r1", chunk: 1, stage }, { ...staged, keys: `["${canary}"]` });
  await store.endRun({ runId: "r1", outcome: "done", endedAt: at });
  const bytes = async (): Promise<string> => {
    const files = ["state.db", "state.db-wal"].map((file) =>
      readFile(join(folder, file), "latin1"),
    );
    return (await Promise.all(files)).join("");
  };
  expect(await bytes()).toContain(canary);
  await store.eraseKey({ ...name, key: canary, now });
  expect(await store.shred()).toBe(true);
  expect(await bytes()).not.toContain(canary);
});
