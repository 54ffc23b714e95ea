import { copyFile, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

import { expect, it } from "vitest";

import { lastSendFileIn } from "../../../src/state/last-send-file.ts";
import { runSql } from "../../support/postgres/postgres-cluster.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { openPostgresInline, schemaOf } from "../../support/project/inline-postgres.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";
import { PullRun } from "../../support/project/pull-run.ts";
import { TestRun } from "../../support/project/test-run.ts";

const csvOf = (name: string): string => `id,domain,name\na,a.example,${name}\n`;

/** The same project on a store of its own in another folder. */
async function onStoreOf(harness: Harness, stateFolder: string): Promise<Harness> {
  const state = await openStoreInline(stateFolder);
  return harness.withState(state);
}

/** A folder with a backup of the current store. */
async function backupOf({ deps }: Harness): Promise<string> {
  const folder = await temporaryFolder();
  const live = new DatabaseSync(join(deps.config.stateFolder, "state.db"));
  await backup(live, join(folder, "state.db"));
  live.close();
  return folder;
}

/** A run over the current file. */
async function run(harness: Harness, runId: string): ReturnType<TestRun["transfer"]> {
  return await (await TestRun.open(harness, { runId })).transfer();
}

it(
  "sends what was sent before the backup that its store was restored from, because the service " +
    "holds what came after",
  async () => {
    const harness = await Harness.open({
      yaml: accountsYaml(),
      files: { "accounts.csv": csvOf("A") },
    });
    const { stateFolder } = harness.deps.config;
    await run(harness, "run-1");
    const restored = await backupOf(harness);
    await harness.write("accounts.csv", csvOf("B"));
    await run(harness, "run-2");
    expect((await harness.sandbox.names()).get("a")).toBe("B");

    // The store of the backup is restored; the file next to it stayed.
    await copyFile(lastSendFileIn(stateFolder), lastSendFileIn(restored));
    await harness.write("accounts.csv", csvOf("A"));
    const back = await onStoreOf(harness, restored);
    const { counts, warnings } = await run(back, "run-3");
    expect(counts).toMatchObject({ sent: 1, unchanged: 0 });
    expect(warnings).toEqual([
      expect.stringContaining("the state store was restored from a backup"),
    ]);
    expect((await harness.sandbox.names()).get("a")).toBe("A");

    // The warning comes once, and records sent from then on are known.
    await back.state.close();
    const again = await run(await onStoreOf(harness, restored), "run-4");
    expect(again).toMatchObject({ counts: { sent: 0, unchanged: 1 }, warnings: [] });
  },
);

it("notices a backup from between the staging of a chunk and the moment when it left", async () => {
  const harness = await Harness.open({
    yaml: accountsYaml(),
    files: { "accounts.csv": csvOf("A") },
  });
  const { stateFolder } = harness.deps.config;
  await run(harness, "run-1");
  // A guardrail may hold a run for days in this state.
  await harness.write("accounts.csv", csvOf("B"));
  const held = await TestRun.open(harness, { runId: "run-2" });
  const staged = await held.stage();
  const restored = await backupOf(harness);
  await held.send(staged);
  await held.commit(staged);
  await held.close();
  harness.terminated.add("first-run-2");
  expect((await harness.sandbox.names()).get("a")).toBe("B");

  await copyFile(lastSendFileIn(stateFolder), lastSendFileIn(restored));
  await harness.write("accounts.csv", csvOf("A"));
  const back = await onStoreOf(harness, restored);
  const { counts, warnings } = await run(back, "run-3");
  expect(counts).toMatchObject({ sent: 1, unchanged: 0 });
  expect(warnings).toEqual([expect.stringContaining("the state store was restored from a backup")]);
  expect((await harness.sandbox.names()).get("a")).toBe("A");

  // It is noticed once: the store never learns that the held chunk left.
  await back.state.close();
  const again = await run(await onStoreOf(harness, restored), "run-4");
  expect(again).toMatchObject({ counts: { sent: 0, unchanged: 1 }, warnings: [] });
});

it("says of a store in Postgres that a standby may have taken over", async () => {
  const store = 'store: { url: "postgres://sluice@127.0.0.1/sluice", project: p }';
  const harness = await Harness.open({
    yaml: `${accountsYaml()}${store}\n`,
    files: { "accounts.csv": csvOf("A") },
  });
  const folder = await temporaryFolder();
  const there = harness.withState(await openPostgresInline(folder));
  await run(there, "run-1");
  const { url, schema } = await schemaOf(folder);
  await runSql(
    url.reveal(),
    `update ${schema}.meta set value = '00000000' where name = 'timeline'`,
  );
  expect(String(await failureOf(run(there, "run-2")))).toContain("is on another timeline");
  const { counts, warnings } = await run(there, "run-3");
  expect(counts).toMatchObject({ sent: 1, unchanged: 0 });
  expect(warnings).toEqual([expect.stringContaining("or a standby took over")]);
});

it("writes no page that waited in the backup over what was pulled since: it is asked for again", async () => {
  const pulls = `pulls:
  scores:
    accounts: {}
    write_back: { connection: exports, file: scores.csv, key: { mk_id: mk_id }, set: { name: name } }
`;
  const harness = await Harness.open({
    yaml: accountsYaml() + pulls,
    files: { "accounts.csv": csvOf("A") },
  });
  const { stateFolder } = harness.deps.config;
  const waiting = await PullRun.open(harness, { runId: "pull-1" });
  await mkdir(join(harness.folder, "scores.csv"));
  await failureOf(waiting.pull());
  await waiting.close({ outcome: "failed" });
  const restored = await backupOf(harness);
  await rmdir(join(harness.folder, "scores.csv"));
  await (await PullRun.open(harness, { runId: "pull-2" })).finish();
  await run(harness, "run-1");
  await copyFile(lastSendFileIn(stateFolder), lastSendFileIn(restored));

  // The page is from pull-1; by now the service may answer differently.
  const back = await onStoreOf(harness, restored);
  const report = await (await PullRun.open(back, { runId: "pull-3" })).finish();
  expect(await harness.sandbox.ledger("search")).toHaveLength(2);
  expect(report.pull).toMatchObject({ calls: 1, possibly_paid_twice: 1, finished: true });
});

it("leaves a store alone whose file beside it is of another store, or is no such file", async () => {
  const harness = await Harness.open({
    yaml: accountsYaml(),
    files: { "accounts.csv": csvOf("A") },
  });
  const { stateFolder } = harness.deps.config;
  await run(harness, "run-1");
  const file = lastSendFileIn(stateFolder);
  expect(await readFile(file, "utf8")).toBe(
    `${harness.state.storeId} 0000000000000001 - 0000000000000001\n`,
  );
  for (const text of ["another-store 0000000000000099\n", "", "garbage"]) {
    await writeFile(file, text);
    const next = await onStoreOf(harness, stateFolder);
    expect(await next.state.isRestored({ target: next.deps.target, sync: "accounts" })).toBe(false);
    await next.state.close();
  }
});
