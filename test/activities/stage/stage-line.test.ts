import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";

import { assert, asyncProperty, constantFrom, integer } from "fast-check";
import { describe, expect, it } from "vitest";

import { stageLine } from "../../../activities/stage/stage-line.ts";
import type { Source } from "../../../connectors/contract/connector.ts";
import { sources } from "../../../connectors/registry.ts";
import { connectorOf } from "../../../connectors/source.ts";
import { runEffect } from "../../../src/effect.ts";
import { lightweightBodyBytesMax } from "../../../src/limits.ts";
import { accountsCsv, failureOf } from "../../support/project/harness.ts";
import { csvWithBroken, runOver, stageAll, stagedFiles } from "../../support/project/test-run.ts";
import { numbers } from "../../support/sequences.ts";
import { trials } from "../../support/trials.ts";

describe("rejects", () => {
  it("hold the place, the field and the row", async () => {
    const run = await runOver(csvWithBroken(3, [1]));
    expect(await run.stage()).toMatchObject({ records: 2, counts: { read: 3, rejected: 1 } });
    expect(await run.rejects()).toMatchObject([
      {
        place: "accounts.csv:3",
        step: "validate",
        code: "required",
        field: "domain",
        row: '{"id":"a1","domain":"","name":"name"}',
      },
    ]);
  });

  it.each([
    ["drop", null],
    ["hash", expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
  ])("hold of the row what `pii: { rejects: %s }` leaves", async (pii, row: unknown) => {
    const run = await runOver(csvWithBroken(3, [1]), { sync: [`pii: { rejects: ${pii} }`] });
    await run.stage();
    expect(await run.rejects()).toMatchObject([{ place: "accounts.csv:3", row }]);
  });

  it("are written once, however often the chunk is staged", async () => {
    const run = await runOver(csvWithBroken(5, [0, 4]));
    await run.stage();
    await run.stage();
    expect((await run.rejects()).map(({ place }) => place)).toEqual([
      "accounts.csv:2",
      "accounts.csv:6",
    ]);
  });
});

describe("reject_limit", () => {
  // 20 rows: more than 10 %, and more than 3 rows, is too much.
  const sync = ["reject_limit: { rate: 20%, rows: 3 }"];

  it.each([
    [3, 10],
    [4, 20],
  ])("lets %i rejects of %i rows pass", async (rejects, rows) => {
    const run = await runOver(csvWithBroken(rows, numbers(rejects)), { sync });
    expect(await run.stage()).toMatchObject({ counts: { rejected: rejects } });
  });

  it("stops one above, before anything of the chunk can leave, and keeps the rejects", async () => {
    const run = await runOver(csvWithBroken(20, numbers(5)), { sync });
    const failure = await failureOf(run.stage());
    expect(failure).toMatchObject({ type: "TooManyRejects", nonRetryable: true });
    expect(failure.message).toContain("5 of 20 rows");
    expect(await run.rejects()).toHaveLength(5);
    expect(await stagedFiles(run)).toEqual([]);
    const closing = {
      outcome: "failed",
      failure: { code: "TooManyRejects", message: "m" },
    } as const;
    expect(await run.close(closing)).toMatchObject({
      outcome: "failed",
      balanced: true,
      counts: { read: 0, rejected: 0 },
      given_up: { read: 20, rejected: 5 },
    });
    expect(await run.harness.sandbox.ledger()).toEqual([]);
  });

  it("counts over the whole run", async () => {
    const broken = [0, 1, 1_000, 1_001];
    const limits = ["reject_limit: { rate: 0%, rows: 3 }", "chunk: { records: 1 }"];
    const run = await runOver(csvWithBroken(1_010, broken), { sync: limits });
    await run.stage();
    expect((await failureOf(run.stage(2))).message).toContain("4 of 1010 rows");
  });
});

describe("limit", () => {
  it("is read to the row, and never exceeded, wherever pages and chunks end", async () => {
    const rows = 3_500;
    const csv = accountsCsv(rows);
    const limits = integer({ min: 1, max: rows + 10 });
    const chunks = constantFrom(1, 1_000, 1_500, 100_000);
    await assert(
      asyncProperty(limits, chunks, async (limit, chunk) => {
        const sync = [`chunk: { records: ${chunk} }`];
        const run = await runOver(csv, { sync, request: { limit } });
        const staged = await stageAll(run);
        const read = staged.reduce((sum, { counts }) => sum + counts.read, 0);
        expect(read).toBe(Math.min(limit, rows));
      }),
      {
        numRuns: trials(5),
        examples: [
          [1_500, 100_000],
          [2_000, 1],
          [999, 1],
          [3_500, 1_000],
        ],
      },
    );
  });

  it.each([
    [9, 0],
    [10, 10],
    [15, 10],
    [20, 20],
  ])("of %i reads %i rows from a source that has no page below 10", async (limit, read) => {
    const run = await runOver(accountsCsv(30), { request: { limit } });
    const { harness, opened } = run;
    const { state } = harness;
    const csv = connectorOf({ sources }, "csv");
    const source: Source = {
      ...csv,
      read: (ask) => csv.read({ ...ask, pageRowsMax: 10, limit: undefined }),
    };
    const { stageChunk } = harness.activitiesWith({
      stageThreads: {
        run: async (job, attempt) =>
          await stageLine(job, { ...attempt, source, state, effect: runEffect }),
        close: async () => undefined,
      },
    });
    const staged = await harness.perform(stageChunk, { ...opened, chunk: 1 });
    expect(staged).toMatchObject({ done: true, counts: { read } });
  });

  it("counts rows that are rejected", async () => {
    const run = await runOver(csvWithBroken(20, [0, 1]), { request: { limit: 5 } });
    expect(await run.stage()).toMatchObject({ done: true, counts: { read: 5, rejected: 2 } });
  });
});

describe("where pages began", () => {
  it("is written while the source is read, because positions may be large", async () => {
    const run = await runOver(accountsCsv(30), { sync: ["send: all"] });
    const { harness, opened } = run;
    const { state, deps } = harness;
    const csv = connectorOf({ sources }, "csv");
    const file = join(deps.stagingFolder, "run-1", "chunk-1.stage-1.jsonl.gz.pages");
    const written: number[] = [];
    const source: Source = {
      ...csv,
      async *read(ask) {
        for await (const page of csv.read({ ...ask, pageRowsMax: 10 })) {
          const starts = await readFile(`${file}.partial`, "utf8");
          written.push(starts.split("\n").length - 1);
          yield page;
        }
      },
    };
    const { stageChunk } = harness.activitiesWith({
      stageThreads: {
        run: async (job, attempt) =>
          await stageLine(job, { ...attempt, source, state, effect: runEffect }),
        close: async () => undefined,
      },
    });
    await harness.perform(stageChunk, { ...opened, chunk: 1 });
    expect(written).toEqual([0, 1, 2]);
    expect((await readFile(file, "utf8")).split("\n")).toHaveLength(4);
  });
});

describe("a full disk", () => {
  it.each(["chunk-1.stage-1.jsonl.gz", "chunk-1.stage-1.jsonl.gz.pages"])(
    "is tried again once there is room, and leaves nothing: while writing %s",
    async (name) => {
      const run = await runOver(accountsCsv(5));
      const folder = join(run.harness.deps.stagingFolder, "run-1");
      await mkdir(folder, { recursive: true });
      await symlink("/dev/full", join(folder, `${name}.partial`));
      const failure = await failureOf(run.stage());
      expect(failure).toMatchObject({ type: "Unavailable", nonRetryable: false });
      expect(failure.message).toContain("ENOSPC");
      expect(JSON.stringify(failure.details)).toContain("free space");
      expect(await stagedFiles(run)).toEqual([]);
      expect(await run.transfer()).toMatchObject({ balanced: true, counts: { sent: 5 } });
    },
  );
});

// The body around the name of the first account, in a body of its own.
const around =
  '{"stream":"account","data":[{"type":"account","account_id":"a0","domain":"c0.example",' +
  '"account_properties":{"name":""}}]}';

/** Bytes of the longest name with which the first account fits into a body of its own. */
const nameBytesMax = lightweightBodyBytesMax - around.length;

/** Two accounts, the first with a name of this many bytes, one fewer in characters. */
function csvWithName(bytes: number): string {
  return accountsCsv(2, (row) => (row === 0 ? `é${"x".repeat(bytes - 2)}` : "short"));
}

describe("a record that hardly fits into a body", () => {
  it.each([nameBytesMax - 1, nameBytesMax])(
    "travels alone in lightweight mode: a name of %i bytes",
    async (bytes) => {
      const run = await runOver(csvWithName(bytes), { request: { mode: "lightweight" } });
      await run.send(await run.stage(), "body");
      const sent = await run.harness.sandbox.ledger("upload-json");
      expect(sent).toMatchObject([
        { status: 200, records: 1, bytes: around.length + bytes },
        { status: 200, records: 1 },
      ]);
    },
  );

  it("is a reject where lightweight is forced and it has one byte too many", async () => {
    const request = { mode: "lightweight" } as const;
    const run = await runOver(csvWithName(nameBytesMax + 1), { request });
    expect(await run.transfer("body")).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 2, sent: 1, rejected: 1 },
    });
    expect(await run.rejects()).toMatchObject([
      { place: "accounts.csv:2", code: "too_large", key: "a0" },
    ]);
  });

  it.each([
    [nameBytesMax, 2],
    [nameBytesMax + 1, 0],
  ])("under auto leaves bodies to choose or none: a name of %i bytes", async (bytes, parts) => {
    const run = await runOver(csvWithName(bytes));
    const staged = await run.stage();
    expect(staged).toMatchObject({ records: 2, parts, counts: { rejected: 0 } });
    await run.send(staged);
    expect(await run.harness.sandbox.recordsTaken()).toBe(2);
  });
});
