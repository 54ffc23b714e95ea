import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { stageLine } from "../../activities/stage/stage-line.ts";
import type { Source } from "../../connectors/contract/connector.ts";
import { sources } from "../../connectors/registry.ts";
import { connectorOf } from "../../connectors/source.ts";
import { registerPlan } from "../../src/cli/plan/plan.ts";
import { registerExplain } from "../../src/cli/run/explain.ts";
import { runEffect } from "../../src/effect.ts";
import { pageRowsMax } from "../../src/limits.ts";
import { accountsYaml, failureOf, Harness } from "../support/project/harness.ts";
import { runVerb } from "../support/project/run-verb.ts";
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

it.each(["", "chunk: { records: 1 }"])(
  "an older file's row is not sent in place of the newest one, which is rejected (%s)",
  async (sync) => {
    const harness = await nightly(sync);
    const night = async (runId: string): Promise<TestRun> => {
      const run = await TestRun.open(harness, { runId });
      await run.transfer();
      return run;
    };
    await night("run-1");
    const export2 = join(harness.folder, second);
    await writeFile(export2, "id,domain,name\na1,,NEWER\nc1,c.example,C\n");
    const broken = await night("run-2");
    expect((await harness.sandbox.names()).get("a1")).toBe("NEW");
    const reason = "same key as an earlier row of this run, which was rejected";
    expect(await broken.rejects()).toEqual([
      expect.objectContaining({ place: `${second}:2`, code: "required", isOpen: true }),
      expect.objectContaining({ place: `${first}:2`, code: "duplicate_key", reason }),
      expect.objectContaining({ place: `${first}:4`, code: "required" }),
    ]);
    await writeFile(export2, "id,domain,name\na1,a.example,NEWER\nc1,c.example,C\n");
    await night("run-3");
    expect((await harness.sandbox.names()).get("a1")).toBe("NEWER");
  },
);

it("an older file's row is not sent in place of one refused before its chunk was staged again", async () => {
  const harness = await nightly();
  await writeFile(join(harness.folder, second), "id,domain,name\na1,a.example,POISON\n");
  const run = await TestRun.open(harness);
  harness.sandbox.refuse("confirm-upload", [0]);
  await run.send(await run.stage());
  expect((await run.transfer()).counts).toMatchObject({ read: 4, sent: 1, rejected: 3 });
  expect((await harness.sandbox.names()).get("a1")).toBeUndefined();
});

it("a plan and explain say that an older file's row is not sent in place of a reject", async () => {
  const harness = await nightly("chunk: { records: 1 }");
  await (await TestRun.open(harness)).transfer();
  const rows = "id,domain,name\na1,,NEWER\nc1,c.example,C\n";
  await writeFile(join(harness.folder, second), rows);
  const plan = await runVerb(registerPlan, harness, ["plan", "accounts"]);
  expect(plan.out.join("\n")).toMatch(/would send 1, unchanged 1, filtered 0, rejected 3/);
  const { out } = await runVerb(registerExplain, harness, ["explain", "accounts", "a1", "--scan"]);
  expect(out.join("\n")).toMatch(/which was rejected/);
});

it("within a file, the first row of a key that is sound is sent", async () => {
  const harness = await nightly();
  // On two pages.
  const others = Array.from({ length: pageRowsMax }, (_, row) => `d${row},d.example,D\n`).join("");
  const rows = `id,domain,name\na1,,BROKEN\n${others}a1,a.example,SOUND\n`;
  await writeFile(join(harness.folder, second), rows);
  const run = await TestRun.open(harness);
  const counts = { read: 5 + pageRowsMax, sent: 2 + pageRowsMax, rejected: 3 };
  expect((await run.transfer()).counts).toMatchObject(counts);
  expect((await harness.sandbox.names()).get("a1")).toBe("SOUND");
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
