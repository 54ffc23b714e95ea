import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { FieldHasher } from "../../../../src/pipeline/fields/field-hashes.ts";
import { blockOfLine } from "../../../../src/pipeline/fields/field-program.ts";
import { KeptEvents } from "../../../support/webhooks/kept-events.ts";
import { at, implementations } from "../../state/store-under-test.ts";
import { ExplainStory, hashesOf, lineOf } from "./explain-story.ts";

describe.each(implementations)("sluice explain of a record: $kind", ({ open }) => {
  let story: ExplainStory;

  beforeEach(async () => {
    story = await ExplainStory.open(open);
  });

  it("that was never seen", async () => {
    expect(await story.told("accounts", { name: "nobody" })).toMatchInlineSnapshot(`
      "accounts, nobody
        source    has no row of this name;
          a file's rows are named by place, and --scan reads all
        service   holds nothing of it from this sync"
    `);
  });

  it("that was sent, and changed since", async () => {
    await story.run("r1", { name: "Old" });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  sends it: changed in account_properties.name
        service   holds what it accepted at T, sent by run r1 (sync), chunk 1, its only part, file f-1"
    `);
  });

  it("that is not in the source any more", async () => {
    await story.run("r1", { name: "K", of: "gone", readsAll: true });
    await story.run("r2", { name: "K", readsAll: true });
    expect(await story.told("accounts", { name: "gone" })).toMatchInlineSnapshot(`
      "accounts, gone
        source    has no row of this name;
          a file's rows are named by place, and --scan reads all
        gone      run r2 was the first that read the whole source and did not find it, at T
        service   holds what it accepted at T, sent by run r1 (sync), chunk 1, its only part, file f-1"
    `);
  });

  it("that is as it was sent", async () => {
    await story.run("r1", { name: "K" });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r1 (sync), chunk 1, its only part, file f-1"
    `);
  });

  it("that was rejected, and is again", async () => {
    await story.run("r1", { rejects: "bad" });
    expect(await story.told("accounts", { name: "bad" })).toMatchInlineSnapshot(`
      "accounts, bad
        source    accounts.csv:3
        mapping   rejects it: domain is required, and empty (required)
        next run  rejects it, until the row or the mapping is another
        service   holds nothing of it from this sync
        reject    T run r1: accounts.csv:3: domain is required, and empty (key bad) [open]"
    `);
  });

  it("that was rejected, and is open no more: a newer row was sent, or its chunk was given up", async () => {
    await story.run("r1", { rejects: "k" });
    await story.run("r2", { name: "K" });
    const rejected = "reject    T run r1: accounts.csv:3: domain is required, and empty (key k)";
    expect((await story.told()).split("\n").at(-1)).toBe(`  ${rejected}`);
    await story.run("r3", { rejects: "bad", until: "staged" });
    const told = async (): Promise<string> => await story.told("accounts", { name: "bad" });
    expect(await told()).toMatch(/run r3: .*\(key bad\) \[open\]$/);
    await story.store.dropStagings({ runId: "r3" });
    expect(await told()).toMatch(/run r3: .*\(key bad\)$/);
  });

  it("that was rejected, and replayed", async () => {
    await story.run("r1", { rejects: "k" });
    await story.run("r2", { kind: "replay", request: { replay: { run: "r1" } }, name: "K" });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r2 (replay), chunk 1, its only part, file f-1
        reject    T run r1: accounts.csv:3: domain is required, and empty (key k) [replayed by r2]"
    `);
  });

  it("that was rejected, and sent in a newer row before its replay", async () => {
    await story.run("r1", { rejects: "k" });
    await story.run("r2", { name: "K" });
    const request = { replay: { run: "r1" } };
    await story.run("r3", { kind: "replay", request, supersedes: ["accounts.csv:3"] });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r2 (sync), chunk 1, its only part, file f-1
        reject    T run r1: accounts.csv:3: domain is required, and empty (key k) [superseded by r3]"
    `);
  });

  it("that a held run has staged", async () => {
    await story.run("r1", { name: "Old" });
    await story.run("r2", { name: "K", until: "staged" });
    const broken = { guardrail: "changed_above", figure: 1, of: 1, bound: { share: 0.3 } };
    const hold = { number: 1, digest: "d", since: at, broken: [broken], approvedAt: null };
    await story.store.setHold({ runId: "r2", hold });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  sends it: nothing says what the service holds
        service   unknown: a run has staged it and is not done with it: run r2 (sync), chunk 1, held since T"
    `);
  });

  it("that a backfill has staged", async () => {
    await story.run("r1", { kind: "backfill", name: "K", until: "staged" });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  sends it: nothing says what the service holds
        service   unknown: a run has staged it and is not done with it: run r1 (backfill), chunk 1"
    `);
  });

  it("that a backfill has sent", async () => {
    await story.run("r2", { kind: "backfill", name: "K" });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r2 (backfill), chunk 1, its only part, file f-1"
    `);
  });

  it("whose row a pull writes into", async () => {
    await story.run("r1", { sync: "scored", name: "K" });
    expect(await story.told("scored")).toMatchInlineSnapshot(`
      "scored, k
        source    scores.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r1 (sync), chunk 1, its only part, file f-1
        pull      scores writes fit of such rows;
          it never ran"
    `);
    await story.run("p1", { kind: "pull", sync: "scores" });
    expect(await story.told("scored")).toMatchInlineSnapshot(`
      "scored, k
        source    scores.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r1 (sync), chunk 1, its only part, file f-1
        pull      scores writes fit of such rows;
          its last run began at T and wrote 10 rows"
    `);
    await story.run("p2", { kind: "pull", sync: "scores", records: 1 });
    expect(await story.told("scored")).toMatch(/its last run began at T and wrote 1 row$/);
  });

  it("that came as an event", async () => {
    const events = new KeptEvents(join(story.config.stateFolder, "inbox.db"));
    events.keep("forms", { id: "e-1", json: '{"id":"k","domain":"k.example","name":"K"}' });
    await story.run("r1", { kind: "inbox", sync: "forms", name: "K" });
    expect(await story.told("forms")).toMatchInlineSnapshot(`
      "forms, k
        source    forms#1
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was accepted
        service   holds what it accepted at T, sent by run r1 (inbox), chunk 1, its only part, file f-1"
    `);
    const byPlace = await story.told("forms", { name: "forms#1", scans: false });
    expect(byPlace.split("\n").slice(1)).toEqual((await story.told("forms")).split("\n").slice(1));
  });

  it("of which nobody knows whether it was taken, after a crash", async () => {
    await story.run("r1", { name: "Old" });
    await story.run("r2", { name: "K", until: "sent" });
    await story.store.dropStagings({ runId: "r2" });
    await story.store.endRun({ runId: "r2", outcome: "failed", endedAt: at });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  sends it: nothing says what the service holds
        service   unknown: a run sent it, and whether and how it was taken is not known: run r2 (sync), chunk 1"
    `);
  });

  it("that a run sent twice", async () => {
    await story.run("r1", { name: "K", times: 2 });
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  sends it: nothing says what the service holds
        service   unknown: a run sent it, and whether and how it was taken is not known: run r1 (sync), chunk 1"
    `);
  });

  it("that a person took for what the service holds", async () => {
    await story.run("r1", { name: "Old" });
    const of = { target: "sandbox", sync: "accounts" };
    const why = { fields: ["account_properties.name"], reason: "written otherwise" };
    const adoption = await story.store.beginAdoption({ ...of, ...why, at });
    const hasher = new FieldHasher(
      "account",
      async (names) => await story.store.fieldSlots({ ...of, names }),
    );
    const hashes = { before: hashesOf([lineOf("Old")]), after: hashesOf([lineOf("K")]) };
    const fields = await hasher.hash([blockOfLine(lineOf("K"))]);
    expect(
      await story.store.adoptRecords({ ...of, adoption, keys: ["k"], ...hashes, ...fields }),
    ).toBe(1);
    expect(await story.told()).toMatchInlineSnapshot(`
      "accounts, k
        source    accounts.csv:2
        mapping   {"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"K"}}
        next run  leaves it: it is as it was adopted
        service   holds what it accepted at T, sent by run r1 (sync), chunk 1, its only part, file f-1;
          adopted at T: another record counts as known (written otherwise)"
    `);
  });
});
