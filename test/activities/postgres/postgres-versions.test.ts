import { describe, expect, it } from "vitest";

import type { OpenedBackfill } from "../../../activities/inputs.ts";
import { firstChunkOf } from "../../../src/lane-of.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { failureOf, harnessHead, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { someOf } from "../../support/trials.ts";

const timeoutMs = 120_000;

/** Their versions are more rows than two lanes require. */
const accounts = 550;

/** A table of versions of accounts, 20 of each and nine minutes apart, and a project that syncs it. */
async function open(
  more = "",
  accountId = "{ column: id }",
): Promise<{ readonly database: TestDatabase; readonly harness: Harness }> {
  const database = await postgres();
  await database.query(
    `create table versions (id text, version int, domain text, name text, updated_at timestamptz not null, note text,
      primary key (id, version));
     insert into versions select 'a' || (n % ${accounts}), n / ${accounts}, 'a.example', 'v' || (n / ${accounts}),
       timestamptz '2026-01-01' + n * interval '1 second' from generate_series(0, ${20 * accounts - 1}) n`,
  );
  const yaml = `${harnessHead}connections:
  crm: { connector: postgres, url: "${database.url}" }
syncs:
  accounts:
    from: { connection: crm, table: versions, changed_by: { column: updated_at } }
    stream: account${more}
    record: { account_id: ${accountId}, domain: domain, account_properties: { name: name } }
`;
  const harness = await Harness.open({ yaml });
  harness.clock.nowMs = Date.now();
  return { database, harness };
}

const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };

type Opened = Exclude<OpenedBackfill, { moved: string }>;

async function backfill(harness: Harness, asked: object = {}): Promise<Opened> {
  const raw = { sync: "accounts", send: "all", approve: "auto", lanes: 4, ...asked };
  const { planBackfill, openBackfill } = harness.activities;
  const planned = await harness.perform(planBackfill, { ...ref, raw });
  if ("problem" in planned) throw new Error(planned.problem);
  const opened = await harness.perform(openBackfill, { ...ref, raw, approved: planned.plan });
  if ("moved" in opened) throw new Error(opened.moved);
  return opened;
}

/** Stages, sends and commits one chunk of a backfill. Returns how many records left. */
async function send(harness: Harness, opened: Opened, chunk: number): Promise<number> {
  const { stageChunk, uploadFile, confirmUpload, commitChunk } = harness.activities;
  const staged = await harness.perform(stageChunk, { ...opened, chunk });
  const part = { ...opened, chunk, stage: staged.stage, part: 0 };
  if (staged.records > 0) {
    const { fileKey } = await harness.perform(uploadFile, part);
    await harness.perform(confirmUpload, { ...part, fileKey });
  }
  await harness.perform(commitChunk, part);
  return staged.records;
}

describe("a table of versions", { timeout: timeoutMs }, () => {
  it("is backfilled in one lane, in order, so that the newest version wins", async () => {
    const { harness } = await open();
    const opened = await backfill(harness);
    expect(opened.lanes).toBe(1);
    await send(harness, opened, firstChunkOf(1));
    await harness.perform(harness.activities.closeRun, { runId: ref.runId, outcome: "done" });
    expect((await harness.sandbox.names()).get("a7")).toBe("v19");
  });

  it.each([
    ["a span that ends before the present", { to: "2026-01-01T01:00Z" }, "to"],
    ["so many rows", { limit: 10 }, "limit"],
    ["rows by their keys", { keys: ["a7,1"] }, "keys"],
  ])(
    "is not backfilled by %s, which would send old versions over newer ones",
    async (_, asked, field) => {
      const { harness } = await open();
      const failure = await failureOf(backfill(harness, asked));
      expect(failure.message).toMatch(/several rows of sync accounts make one record/);
      expect(JSON.stringify(failure.details)).toContain(`"${field}"`);
    },
  );

  it("is not backfilled where nothing is known of what was sent", async () => {
    const { harness } = await open("\n    send: all");
    const failure = await failureOf(backfill(harness));
    expect(JSON.stringify(failure.details)).toContain("sluice state reset accounts");
  });

  it.each([
    { when: "rested", isSent: true },
    { when: "rested before its first chunk was sent", isSent: false },
  ])("keeps what a nightly run sent while the backfill $when", async ({ isSent }) => {
    const { database, harness } = await open(`\n    chunk: { records: ${10 * accounts} }`);
    const opened = await backfill(harness);
    if (isSent) await send(harness, opened, 1);
    else await harness.perform(harness.activities.stageChunk, { ...opened, chunk: 1 });
    await harness.perform(harness.activities.yieldBackfill, opened);
    await database.query(
      "insert into versions values ('a7', 20, 'a.example', 'newest', now() - interval '1 minute')",
    );
    const night = await TestRun.open(harness, { runId: "night" });
    await night.transfer();
    expect((await harness.sandbox.names()).get("a7")).toBe("newest");
    const again = await harness.perform(harness.activities.openBackfill, {
      ...ref,
      raw: {},
      approved: undefined,
    });
    if ("moved" in again) throw new Error(again.moved);
    // The last row read is also the newest: only their number shows what became of the older ones.
    const first = isSent ? 0 : await send(harness, again, 1);
    expect(first + (await send(harness, again, 2))).toBe(0);
    expect((await harness.sandbox.names()).get("a7")).toBe("newest");
  });
});

describe("a table of versions whose backfill was reset", { timeout: timeoutMs }, () => {
  it("keeps what a nightly run sent before a person agreed to it again", async () => {
    const { database, harness } = await open(`\n    chunk: { records: ${10 * accounts} }`);
    const { planBackfill, openBackfill, stageChunk } = harness.activities;
    await harness.perform(stageChunk, { ...(await backfill(harness)), chunk: 1 });
    const raw = { sync: "accounts", send: "all", approve: "auto", lanes: 4 };
    const planned = await harness.perform(planBackfill, { ...ref, raw });
    await database.query(
      "insert into versions values ('a7', 20, 'a.example', 'newest', now() - interval '1 minute')",
    );
    await (await TestRun.open(harness, { runId: "night" })).transfer();
    if ("problem" in planned) throw new Error(planned.problem);
    const again = await harness.perform(openBackfill, { ...ref, raw, approved: planned.plan });
    if ("moved" in again) throw new Error(again.moved);
    expect((await send(harness, again, 1)) + (await send(harness, again, 2))).toBe(0);
    expect((await harness.sandbox.names()).get("a7")).toBe("newest");
  });
});

describe("a table of versions of which no key tells", { timeout: timeoutMs }, () => {
  /** If a template joins two columns, nobody can know whether two rows make the same key. */
  const accountId = '{ template: "{id}{note}" }';

  it.each(someOf(["changed", "all"], 2))(
    "is not backfilled by a span once a run sent several rows of one record: send: %s",
    async (sends) => {
      const { database, harness } = await open(`\n    send: ${sends}`, accountId);
      await database.query("update versions set updated_at = now() - interval '1 minute'");
      await (await TestRun.open(harness, { runId: "night" })).transfer();
      const failure = await failureOf(backfill(harness, { to: "2026-01-01T01:00Z" }));
      expect(failure.message).toMatch(/several rows of sync accounts make one record/);
    },
  );

  it.each(someOf(["changed", "all"], 2))(
    "stops a backfill of a span at a second row of one record, before any of them leaves: send: %s",
    async (sends) => {
      const { database, harness } = await open(`\n    send: ${sends}`, accountId);
      await database.query("delete from versions where version < 19");
      await (await TestRun.open(harness, { runId: "night" })).transfer();
      await database.query(
        `insert into versions select 'a' || (n % ${accounts}), n / ${accounts}, 'a.example', 'v' || (n / ${accounts}),
           timestamptz '2026-01-01' + n * interval '1 second' from generate_series(0, ${19 * accounts - 1}) n`,
      );
      const opened = await backfill(harness, { to: "2026-01-01T01:00Z" });
      const failure = await failureOf(send(harness, opened, firstChunkOf(1)));
      expect(failure.message).toMatch(/several rows of sync accounts make one record/);
      expect(failure.nonRetryable).toBe(true);
      expect((await harness.sandbox.names()).get("a7")).toBe("v19");
    },
  );

  it("is backfilled by a span where each record has one row, chunk after chunk", async () => {
    const { database, harness } = await open("\n    chunk: { records: 330 }", accountId);
    await database.query("delete from versions where version > 0");
    await (await TestRun.open(harness, { runId: "night" })).transfer();
    const opened = await backfill(harness, { to: "2026-01-02" });
    await send(harness, opened, 1);
    await send(harness, opened, 2);
    const closing = { runId: ref.runId, outcome: "done" } as const;
    const report = await harness.perform(harness.activities.closeRun, closing);
    expect(report?.counts.sent).toBe(accounts);
  });

  it("is backfilled to the present, in one lane", async () => {
    const { harness } = await open("", accountId);
    const opened = await backfill(harness);
    expect(opened.lanes).toBe(1);
    await send(harness, opened, firstChunkOf(1));
    expect((await harness.sandbox.names()).get("a7")).toBe("v19");
  });
});
