import { expect, it } from "vitest";

import { inboxFileIn } from "../../src/inbox/file.ts";
import { postgres } from "../support/postgres/postgres.ts";
import { companiesYaml, formsYaml } from "../support/project/doubt-story.ts";
import { accountsYaml, Harness } from "../support/project/harness.ts";
import { header } from "../support/project/replay-story.ts";
import { TestRun } from "../support/project/test-run.ts";
import { KeptEvents } from "../support/webhooks/kept-events.ts";

async function drained(...events: readonly object[]): Promise<Harness> {
  const harness = await Harness.open({ yaml: formsYaml("site") });
  const kept = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
  kept.keep("forms", ...events.map((event) => JSON.stringify(event)));
  return harness;
}

async function replay(harness: Harness, runId: string) {
  const run = await TestRun.open(harness, { runId, request: { replay: { run: "run-1" } } });
  return await run.transfer("body");
}

/** The service's refusal of the first record of a body. */
const refusal = {
  status: 422,
  body: { detail: [{ loc: ["body", "data", 0, "name"], msg: "bad", type: "value_error" }] },
};

const older = { id: "a1", site: "a.example", name: "OLDER" };

it("an event that the service refused is not replayed over a newer one of its chunk", async () => {
  const harness = await drained(older, { ...older, name: "NEWER" });
  harness.sandbox.order("upload-json", refusal);
  const drain = await (await TestRun.open(harness, { kind: "inbox" })).transfer("body");
  expect(drain.counts).toMatchObject({ sent: 1, rejected: 1 });
  expect((await replay(harness, "run-2")).counts).toMatchObject({ sent: 0, filtered: 1 });
  expect((await harness.sandbox.names()).get("a1")).toBe("NEWER");
});

it("the newest event of a key is replayed although an older one of its chunk was sent", async () => {
  const harness = await drained(older, { id: "a1", host: "a.example", name: "NEWEST" });
  const drain = await (await TestRun.open(harness, { kind: "inbox" })).transfer("body");
  expect(drain.counts).toMatchObject({ sent: 1, rejected: 1 });
  const fixed = await harness.withYaml(formsYaml("host"));
  expect((await replay(fixed, "run-2")).counts).toMatchObject({ sent: 1, filtered: 0 });
  expect((await harness.sandbox.names()).get("a1")).toBe("NEWEST");
});

it("an event between two others of its chunk gives way to the later one, and not to the earlier", async () => {
  const middle = { id: "a1", host: "a.example", name: "MIDDLE" };
  const harness = await drained(older, middle, { ...older, name: "NEWER" });
  await (await TestRun.open(harness, { kind: "inbox" })).transfer("body");
  const fixed = await harness.withYaml(formsYaml("host"));
  expect((await replay(fixed, "run-2")).counts).toMatchObject({ sent: 0, filtered: 1 });
  expect((await harness.sandbox.names()).get("a1")).toBe("NEWER");
});

it("a row that the service refused is replayed although a backfill read it and was cancelled", async () => {
  const { query, url } = await postgres();
  await query(`create table companies (id text primary key, domain text not null, name text, updated_at timestamptz
    not null);
    insert into companies values ('a', 'a.example', 'A', now() - interval '2 days'), ('b', 'b.example', 'B', now() -
    interval '1 day')`);
  const harness = await Harness.open({ yaml: companiesYaml(url) });
  harness.sandbox.refuse("confirm-upload", [1]);
  await (await TestRun.open(harness)).transfer();

  const { planBackfill, openBackfill, stageChunk, closeRun } = harness.activities;
  const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };
  const raw = { sync: "accounts", send: "all", approve: "auto" };
  const planned = await harness.perform(planBackfill, { ...ref, raw });
  if ("problem" in planned) throw new Error(planned.problem);
  const opened = await harness.perform(openBackfill, { ...ref, raw, approved: planned.plan });
  if ("moved" in opened) throw new Error(opened.moved);
  await harness.perform(stageChunk, { ...opened, chunk: 1 });
  await harness.perform(closeRun, { runId: ref.runId, outcome: "cancelled" });

  expect((await replay(harness, "run-2")).counts).toMatchObject({ sent: 1, filtered: 0 });
  expect((await harness.sandbox.names()).get("b")).toBe("B");
  const counts = await harness.state.replayCounts({ run: "run-1" });
  expect(counts).toMatchObject({ open: 0, replayed: 1, superseded: 0 });
});

/** Accounts whose domain is in a column, from a CSV connection with these further members. */
function appendedYaml(domain: string, ...members: readonly string[]): string {
  const csv = ["path: accounts.csv", "append_only: true", ...members].join(", ");
  return accountsYaml()
    .replace("path: accounts.csv", csv)
    .replace("domain: domain", `domain: ${domain}`);
}

/** The same key in two lines: what the mapping refuses, and below it what the reader cannot read. */
const refusedTwice = [header, "k,,OLD,k.example", 'k,k.example,"N"EW,k.example', ""].join("\n");

it.each([1, 2])(
  "a line that the reader refused is replayed after the row before it, also in replay %i",
  async (replays) => {
    const files = { "accounts.csv": refusedTwice };
    const harness = await Harness.open({ yaml: appendedYaml("domain"), files });
    await (await TestRun.open(harness)).transfer();
    for (let number = 1; number < replays; number += 1) {
      const request = { replay: { run: `run-${number}` } };
      const run = await TestRun.open(harness, { runId: `run-${number + 1}`, request });
      expect((await run.transfer()).counts).toMatchObject({ read: 2, rejected: 2 });
    }
    const repaired = await harness.withYaml(appendedYaml("site", "quote: false"));
    const request = { replay: { run: `run-${replays}` } };
    const last = await TestRun.open(repaired, { runId: `run-${replays + 1}`, request });
    expect((await last.transfer()).counts).toMatchObject({ read: 2, sent: 2 });
    expect((await harness.sandbox.names()).get("k")).toBe('"N"EW');
  },
);

it("a line that the reader refused gives way to the row directly behind it", async () => {
  const lines = [header, 'k,k.example,"O"LD,', "k,k.example,NEW,", ""];
  const files = { "accounts.csv": lines.join("\n") };
  const harness = await Harness.open({ yaml: appendedYaml("domain"), files });
  await (await TestRun.open(harness)).transfer();
  const repaired = await harness.withYaml(appendedYaml("domain", "quote: false"));
  expect((await replay(repaired, "run-2")).counts).toMatchObject({ sent: 0, filtered: 1 });
  expect((await harness.sandbox.names()).get("k")).toBe("NEW");
});
