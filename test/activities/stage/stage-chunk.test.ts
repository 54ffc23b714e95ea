import { describe, expect, it } from "vitest";

import {
  accountsCsv,
  accountsYaml,
  dyingAt,
  failureOf,
  Harness,
} from "../../support/project/harness.ts";
import {
  csvWithBroken,
  openedRun,
  rows,
  runOver,
  stageAll,
  stagedFiles,
  stagedRun,
  TestRun,
} from "../../support/project/test-run.ts";
import { numbers } from "../../support/sequences.ts";

describe("stageChunk in threads of its own", () => {
  it("stages as it does in the test's", async () => {
    const settings = { yaml: accountsYaml(), files: { "accounts.csv": accountsCsv(2_500) } };
    const inline = await TestRun.open(await Harness.open(settings));
    const threads = await TestRun.open(await Harness.open({ ...settings, hasThreads: true }));
    const [here, there] = [await inline.stage(), await threads.stage()];
    expect(there).toEqual(here);
    expect(there).toMatchObject({ records: 2_500, done: true, counts: { read: 2_500 } });
  });

  it("brings the job's own error across, and stages the next chunk", async () => {
    const files = { "accounts.csv": csvWithBroken(10, numbers(10)) };
    const yaml = accountsYaml("reject_limit: { rate: 50%, rows: 9 }");
    const run = await TestRun.open(await Harness.open({ yaml, files, hasThreads: true }));
    expect(await failureOf(run.stage())).toMatchObject({
      type: "TooManyRejects",
      nonRetryable: true,
      details: [{ field: "reject_limit" }],
    });
    await run.harness.write("accounts.csv", accountsCsv(10));
    expect(await run.stage()).toMatchObject({ stage: 2, records: 10, counts: { rejected: 0 } });
  });
});

it("a backfill whose file was replaced says to begin it again, and not to reset its sync", async () => {
  const harness = await Harness.open({
    yaml: accountsYaml(),
    files: { "accounts.csv": accountsCsv(20) },
  });
  const backfill = await TestRun.backfill(harness, { more: { from: "line 5" } });
  await harness.write("accounts.csv", "id,domain,name\nz,z.example,Z\n");
  expect(await failureOf(backfill.stage())).toMatchObject({
    type: "SourceChanged",
    details: [
      { hint: expect.stringMatching(/^begin the backfill again: it is planned/) as unknown },
    ],
  });
});

/** A mapping module that gives every account this name. */
function mapWith(name: string): string {
  return `export function mapRecord({ id, domain }: Record<string, string>) {
  return { account_id: id, domain, account_properties: { name: "${name}" } };
}
`;
}

describe("a mapping module that is edited during a run", () => {
  it.each([
    ["by a thread that has loaded it", async () => undefined],
    [
      "by a thread that has not",
      async ({ harness }: TestRun): Promise<void> => await harness.deps.stageThreads.close(),
    ],
  ])("ends the run before two mappings mix in it, noticed %s", async (_, between) => {
    const yaml = accountsYaml("chunk: { records: 1 }").replace(
      /record:\n( {6}.*\n)+/,
      "record: ./map.ts\n",
    );
    const files = { "accounts.csv": accountsCsv(2_500), "map.ts": mapWith("before") };
    const run = await TestRun.open(await Harness.open({ yaml, files, hasThreads: true }));
    const first = await run.stage();
    await run.send(first);
    await run.commit(first);
    await run.harness.write("map.ts", mapWith("after"));
    await between(run);
    expect(await failureOf(run.stage(2))).toMatchObject({
      type: "ConfigChanged",
      nonRetryable: true,
      details: [{ field: "syncs.accounts.record" }],
    });
    const closing = {
      outcome: "failed",
      failure: { code: "ConfigChanged", message: "m" },
    } as const;
    expect(await run.close(closing)).toMatchObject({ counts: { sent: first.records } });
    expect(new Set((await run.harness.sandbox.names()).values())).toEqual(new Set(["before"]));
  });
});

describe("stageChunk twice", () => {
  it("leaves the chunk with its successor when an attempt wakes that was thought dead", async () => {
    const { harness, opened } = await openedRun();
    const { stageChunk } = harness.activities;
    const asked = { ...opened, chunk: 1 };
    const scheduledTimestampMs = Date.now();
    const successor = { scheduledTimestampMs, attempt: 2 };
    expect(await harness.perform(stageChunk, asked, successor)).toMatchObject({ stage: 1 });

    const zombie = { scheduledTimestampMs, attempt: 1 };
    const failure = await failureOf(harness.perform(stageChunk, asked, zombie));

    expect(failure).toMatchObject({ type: "Superseded", nonRetryable: true });
    const staged = await harness.state.staging({ runId: opened.runId, chunk: 1, stage: 1 });
    expect(staged).toMatchObject({ state: "staged" });
    // After a new scheduling, because its file was lost, a first attempt counts.
    const again = { scheduledTimestampMs: scheduledTimestampMs + 1, attempt: 1 };
    expect(await harness.perform(stageChunk, asked, again)).toMatchObject({ stage: 2 });
  });

  it("stages the same again, leaves one file, and rejects nothing as its own duplicate", async () => {
    const { run, chunk } = await stagedRun();
    const again = await run.stage();
    expect(again).toEqual({ ...chunk, stage: 2 });
    expect(again).toMatchObject({ records: rows, counts: { rejected: 0, unchanged: 0 } });
    expect(await stagedFiles(run)).toEqual([
      "chunk-1.stage-2.jsonl.gz",
      "chunk-1.stage-2.jsonl.gz.pages",
    ]);
  });

  it("stages again after an attempt that died before it had said so", async () => {
    const run = await openedRun();
    const { harness, opened } = run;
    const { stageChunk } = harness.activitiesWith(dyingAt(harness, "finishStage"));
    const input = { ...opened, chunk: 1 };
    expect(await failureOf(harness.perform(stageChunk, input))).toMatchObject({
      type: "Unavailable",
    });
    const chunk = await harness.perform(stageChunk, input);
    expect(chunk).toMatchObject({ stage: 2, records: rows, counts: { rejected: 0 } });
    await run.send({ ...chunk, chunk: 1 });
    await run.commit({ ...chunk, chunk: 1 });
    expect(await run.close()).toMatchObject({ balanced: true, counts: { sent: rows } });
  });

  it("refuses every step of the staging that was replaced", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    await run.stage();
    const part = run.part(chunk);
    const { uploadFile, uploadJson, confirmUpload, commitChunk } = harness.activities;
    const superseded = { type: "Superseded", nonRetryable: true };
    expect(await failureOf(harness.perform(uploadFile, part))).toMatchObject(superseded);
    expect(await failureOf(harness.perform(uploadJson, part))).toMatchObject(superseded);
    const confirm = { ...part, fileKey: "uploads/account/old.jsonl.gz" };
    expect(await failureOf(harness.perform(confirmUpload, confirm))).toMatchObject(superseded);
    expect(await failureOf(harness.perform(commitChunk, part))).toMatchObject(superseded);
    expect(await harness.sandbox.ledger()).toEqual([]);
  });

  it("counts what an older staging had under way as possibly repeated", async () => {
    const { run, chunk } = await stagedRun();
    await run.send(chunk);
    await run.send(await run.stage());
    expect(await run.stored()).toMatchObject({ possiblyRepeated: rows });
    expect(await run.harness.sandbox.recordsTaken()).toBe(2 * rows);
  });
});

describe("a second row of a key", () => {
  const csv = "id,domain,name\na,a.example,1\nb,b.example,2\na,a.example,3\n";

  it("is a reject with its place", async () => {
    const run = await runOver(csv);
    expect(await run.stage()).toMatchObject({ records: 2, counts: { rejected: 1 } });
    expect(await run.rejects()).toMatchObject([
      { place: "accounts.csv:4", step: "duplicate", code: "duplicate_key", key: "a" },
    ]);
  });

  it("is one in a later chunk too, and no chunk that is staged again rejects itself", async () => {
    const count = 2_500;
    const again = accountsCsv(1).split("\n")[1] ?? "";
    const run = await runOver(`${accountsCsv(count)}${again}\n`, {
      sync: ["chunk: { records: 1 }"],
    });
    const first = await stageAll(run);
    expect(first.map(({ records }) => records)).toEqual([1_000, 1_000, 500, 0]);
    const second = await stageAll(run);
    expect(second.map(({ records }) => records)).toEqual([1_000, 1_000, 500, 0]);
    expect(await run.rejects()).toMatchObject([{ chunk: 3, place: `accounts.csv:${count + 2}` }]);
  });

  it("is sent after the first where `duplicate_keys: send` says so, and the key stays unknown", async () => {
    const run = await runOver(csv, { sync: ["duplicate_keys: send"] });
    expect(await run.transfer()).toMatchObject({ counts: { sent: 3, rejected: 0 } });
    expect((await run.harness.sandbox.names()).get("a")).toBe("3");
    const next = await TestRun.open(run.harness, { runId: "run-2" });
    expect(await next.transfer()).toMatchObject({ counts: { sent: 2, unchanged: 1 } });
  });
});

describe("min_rows", () => {
  const sync = ["min_rows: 5"];

  it("stops a source of one row less, and names the setting", async () => {
    const run = await runOver(accountsCsv(4), { sync });
    expect(await failureOf(run.stage())).toMatchObject({
      type: "TooFewRows",
      nonRetryable: true,
      details: [{ field: "syncs.accounts.min_rows" }],
    });
  });

  it.each([5, 6])("lets %i rows pass", async (count) => {
    const run = await runOver(accountsCsv(count), { sync });
    expect(await run.stage()).toMatchObject({ records: count });
  });

  it("asks nothing of a run that was limited by hand", async () => {
    const run = await runOver(accountsCsv(9), { sync, request: { limit: 2 } });
    expect(await run.stage()).toMatchObject({ counts: { read: 2 } });
  });
});
