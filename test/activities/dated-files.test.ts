import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { stageLine } from "../../activities/stage/stage-line.ts";
import type { Source } from "../../connectors/contract/connector.ts";
import { sources } from "../../connectors/registry.ts";
import { connectorOf } from "../../connectors/source.ts";
import { runEffect } from "../../src/effect.ts";
import { accountsYaml, failureOf, Harness } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";

const first = "accounts-2026-11-01.csv";
const second = "accounts-2026-11-02.csv";

/** Two dated exports that hold the same record. */
const dated = {
  [first]: "id,domain,name\na1,a.example,OLD\nb1,b.example,B\nc1,,C\n",
  [second]: "id,domain,name\na1,a.example,NEW\n",
};

async function nightly(...sync: readonly string[]): Promise<Harness> {
  const yaml = accountsYaml(...sync).replace("path: accounts.csv", "path: accounts-*.csv");
  return await Harness.open({ yaml, files: dated });
}

it("of dated files that hold a record the newest wins, each night, and the older rows are rejects", async () => {
  const harness = await nightly();
  const night = await TestRun.open(harness, { runId: "run-1" });
  expect((await night.transfer()).counts).toMatchObject({ read: 4, sent: 2, rejected: 2 });
  expect(await night.rejects()).toEqual([
    expect.objectContaining({ place: `${first}:2`, code: "duplicate_key" }),
    expect.objectContaining({ place: `${first}:4`, code: "required" }),
  ]);
  expect((await harness.sandbox.names()).get("a1")).toBe("NEW");
  const next = await TestRun.open(harness, { runId: "run-2" });
  expect((await next.transfer()).counts).toMatchObject({ sent: 0, unchanged: 2, rejected: 2 });
});

it("the newest wins where each file is a chunk of its own and is staged again", async () => {
  const harness = await nightly("chunk: { records: 1 }");
  const run = await TestRun.open(harness);
  await run.stage(1);
  await run.stage(2);
  // As after a crash: the first staging is abandoned, and both files are staged again.
  expect((await run.transfer()).counts).toMatchObject({ read: 4, sent: 2, rejected: 2 });
  expect((await harness.sandbox.names()).get("a1")).toBe("NEW");
});

it("a replay does not bring the row of an older file back", async () => {
  const harness = await nightly();
  await (await TestRun.open(harness, { runId: "run-1" })).transfer();
  const replay = { runId: "run-2", request: { replay: { run: "run-1", code: "duplicate_key" } } };
  const { counts } = await (await TestRun.open(harness, replay)).transfer();
  expect(counts).toMatchObject({ read: 1, sent: 0, filtered: 1 });
  expect((await harness.sandbox.names()).get("a1")).toBe("NEW");
});

it("rejects can be replayed although a newer file has come since", async () => {
  const harness = await nightly("chunk: { records: 2 }");
  await (await TestRun.open(harness, { runId: "run-1" })).transfer();
  await writeFile(join(harness.folder, "accounts-2026-11-03.csv"), dated[second]);
  const replay = { runId: "run-2", request: { replay: { run: "run-1" } } };
  const { counts } = await (await TestRun.open(harness, replay)).transfer();
  expect(counts).toMatchObject({ read: 2, filtered: 1, rejected: 1 });
});

it.each(["duplicate_keys: send", "send: all"])("the newest wins, too, with `%s`", async (sync) => {
  const harness = await nightly(sync);
  const { counts } = await (await TestRun.open(harness)).transfer();
  expect(counts).toMatchObject({ read: 4, sent: 3 });
  expect((await harness.sandbox.names()).get("a1")).toBe("NEW");
});

it("sends nothing of a file that was replaced, with other columns, while another was read", async () => {
  const harness = await nightly();
  await (await TestRun.open(harness, { runId: "run-1" })).transfer();
  const { opened } = await TestRun.open(harness, { runId: "run-2" });
  const csv = connectorOf({ sources }, "csv");
  const source: Source = {
    ...csv,
    async *read(ask) {
      for await (const page of csv.read(ask)) {
        // The second file is read first.
        const other = join(harness.folder, "new");
        await writeFile(other, "id,domain,title\nb1,b.example,B\n");
        await rename(other, join(harness.folder, first));
        yield page;
      }
    },
  };
  const { state } = harness;
  const { stageChunk } = harness.activitiesWith({
    stageThreads: {
      run: async (job, attempt) =>
        await stageLine(job, { ...attempt, source, state, effect: runEffect }),
      close: async () => undefined,
    },
  });
  const failure = await failureOf(harness.perform(stageChunk, { ...opened, chunk: 1 }));
  expect(failure.message).toBe(
    'sync accounts reads the column "name", which connection exports does not have',
  );
  expect((await harness.sandbox.names()).get("b1")).toBe("B");
});
