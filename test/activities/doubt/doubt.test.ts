import { describe, expect, it } from "vitest";

import { inboxFileIn } from "../../../src/inbox/file.ts";
import { canaries } from "../../support/canaries.ts";
import { lateRequest, type LateEnd } from "../../support/late-request.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import {
  companiesYaml,
  held,
  newer,
  overMs,
  resend,
  transfer,
} from "../../support/project/doubt-story.ts";
import { accountsCsv, accountsYaml, Harness, harnessHead } from "../../support/project/harness.ts";
import { rows, stagedRun, TestRun } from "../../support/project/test-run.ts";
import { KeptEvents } from "../../support/webhooks/kept-events.ts";

describe("a request of a run that was given up", () => {
  it.each<LateEnd>(["answer lost", "aborted", "aborted before", "answered"])(
    "is overwritten once more when it is applied after the next run: %s",
    async (how) => {
      const { run, chunk } = await stagedRun();
      const { harness } = run;
      const late = await lateRequest(run, chunk, how);
      harness.terminated.add("first-run-1");
      await harness.write("accounts.csv", newer);
      expect(await transfer(harness, "run-2")).toMatchObject({ counts: { sent: rows } });
      await late.arrive();
      expect(await held(harness, "a0")).toBe("name 0");

      const third = await transfer(harness, "run-3");

      expect(await held(harness, "a0")).toBe("newer 0");
      expect(third).toMatchObject({ counts: { sent: rows }, possibly_repeated: rows });
    },
  );

  it("holds nothing up, and is asked for by each run until it is over, and by one behind", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const late = await lateRequest(run, chunk);
    harness.terminated.add("first-run-1");
    await harness.write("accounts.csv", newer);
    const second = await transfer(harness, "run-2");
    await late.arrive();
    expect(second.warnings.join()).toContain("an older value may still be applied over 5 records");
    expect(harness.resending).toEqual(["accounts"]);
    expect(await transfer(harness, "run-3")).toMatchObject({ counts: { sent: rows } });

    harness.clock.nowMs += overMs;

    expect(await transfer(harness, "run-4")).toMatchObject({
      counts: { sent: rows, unchanged: 0 },
      warnings: [],
    });
    expect(await transfer(harness, "run-5")).toMatchObject({
      counts: { sent: 0, unchanged: rows },
      possibly_repeated: 0,
    });
  });

  it("concerns the records of its part alone", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const late = await lateRequest(run, chunk);
    harness.terminated.add("first-run-1");
    await harness.write("accounts.csv", accountsCsv(2 * rows));
    await transfer(harness, "run-2");
    await late.arrive();
    expect(await transfer(harness, "run-3")).toMatchObject({
      counts: { sent: rows, unchanged: rows },
    });
  });

  it("puts nothing in doubt when it certainly was not applied, or never left", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    harness.sandbox.order("upload-json", { status: 429, headers: { "retry-after": "1" } });
    expect(await run.attemptPart(run.part(chunk), "body")).toMatchObject({ type: "RateLimited" });
    harness.terminated.add("first-run-1");
    harness.clock.nowMs += 2_000;
    await harness.write("accounts.csv", newer);
    expect(await transfer(harness, "run-2")).toMatchObject({ warnings: [] });
    expect(await transfer(harness, "run-3")).toMatchObject({ counts: { unchanged: rows } });
  });

  it("is settled once when it ends refused, after the next run has left", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const late = await lateRequest(run, chunk, "answered");
    harness.terminated.add("first-run-1");
    await harness.write("accounts.csv", newer);
    await transfer(harness, "run-2");
    harness.sandbox.order("upload-json", { status: 429, headers: { "retry-after": "1" } });
    await expect(late.arrive()).rejects.toThrow("429");
    harness.clock.nowMs += 2_000;

    expect(await resend(harness, "run-3")).toMatchObject({ counts: { sent: rows } });

    expect(await transfer(harness, "run-4")).toMatchObject({
      counts: { sent: 0, unchanged: rows },
      warnings: [],
    });
  });

  it("is asked for as long as its process lives, and has not said how it ended", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const late = await lateRequest(run, chunk);
    harness.terminated.add("first-run-1");
    await harness.write("accounts.csv", newer);
    await transfer(harness, "run-2");
    harness.clock.nowMs += 10 * overMs;
    expect(await transfer(harness, "run-3")).toMatchObject({ counts: { sent: rows } });
    await late.arrive();
    harness.clock.nowMs += overMs;
    await transfer(harness, "run-4");
    expect(await held(harness, "a0")).toBe("newer 0");
    expect(await transfer(harness, "run-5")).toMatchObject({ counts: { unchanged: rows } });
  });

  it.each([
    ["ends with its process", []],
    [
      "ends with its process, also where one of another container has its number",
      [{ name: "1 other/pid 4711 1", process: "4711", hostId: "1" }],
    ],
  ] as const)("%s", async (_, beating) => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const part = { ...run.part(chunk), form: "body", host: "1", at: "2026-01-01" } as const;
    const sender = { process: "1 gone/pid 4711 1", stream: "account", now: harness.clock.moment() };
    await harness.state.beginPart({
      ...part,
      request: { ...sender, deadlineMs: 1_000, restMs: 1_000 },
    });
    harness.terminated.add("first-run-1");
    await harness.write("accounts.csv", newer);
    const worker = { temporalId: "t", version: "0.1.0", lastBeat: harness.clock.nowMs };
    for (const beat of beating) await harness.state.beat({ ...worker, ...beat });
    // Nobody can look for a process of another machine: after a day of silence it counts as gone.
    await transfer(harness, "run-2");
    expect(await harness.state.openSenders({ but: "" })).toEqual([]);
  });
});

describe("an attempt that another one followed", () => {
  it("is noticed when it is applied after a newer run, although its chunk was committed", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const late = await lateRequest(run, chunk, "answered");
    const second = { attempt: 2 };
    await harness.perform(harness.activities.uploadJson, run.part(chunk), second);
    await run.commit(chunk);
    await run.close();
    await harness.write("accounts.csv", newer);
    await transfer(harness, "run-2");
    await late.arrive();
    expect(await held(harness, "a0")).toBe("name 0");
    await transfer(harness, "run-3");
    expect(await held(harness, "a0")).toBe("newer 0");
  });

  it("costs nothing when no newer record was sent meanwhile", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const late = await lateRequest(run, chunk);
    await harness.perform(harness.activities.uploadJson, run.part(chunk), { attempt: 2 });
    await run.commit(chunk);
    await run.close();
    await late.arrive();
    expect(await transfer(harness, "run-2")).toMatchObject({
      counts: { sent: 0, unchanged: rows },
      warnings: [],
    });
  });

  it("may be applied after a later chunk of its own run", async () => {
    const yaml = accountsYaml("chunk: { records: 1000 }", "duplicate_keys: send");
    const csv = accountsCsv(1_000).concat("a0,c0.example,newer 0\n");
    const harness = await Harness.open({ yaml, files: { "accounts.csv": csv } });
    const run = await TestRun.open(harness);
    const first = await run.stage(1);
    const late = await lateRequest(run, first);
    await harness.perform(harness.activities.uploadJson, run.part(first), { attempt: 2 });
    await run.commit(first);
    const second = await run.stage(2);
    await run.send(second, "body");
    await run.commit(second);
    await run.close();
    await late.arrive();
    expect(await held(harness, "a0")).toBe("name 0");
    await resendWhenOver(harness);
    expect(await held(harness, "a0")).toBe("newer 0");
  });
});

async function resendWhenOver(harness: Harness): Promise<void> {
  harness.clock.nowMs += overMs;
  await resend(harness, "run-resend");
}

const formsYaml = `${harnessHead}connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: forms
    stream: account
    record: { account_id: id, domain: { column: site, as: domain }, account_properties: { name: name } }
`;

const event = (name: string): string => JSON.stringify({ id: "a1", site: "a.example", name });

describe("a source that is not read again", () => {
  it("has an event sent once more that an older one overwrote, by the next run of a quiet inbox", async () => {
    const harness = await Harness.open({ yaml: formsYaml });
    const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
    events.keep("forms", event("OLD"));
    const zombie = await TestRun.open(harness, { kind: "inbox" });
    const late = await lateRequest(zombie, await zombie.stage());
    harness.terminated.add("first-run-1");
    events.keep("forms", event("NEW"));
    await transfer(harness, "run-2", "inbox");
    await late.arrive();
    expect(await held(harness, "a1")).toBe("OLD");
    expect(await transfer(harness, "run-3", "inbox")).toMatchObject({ counts: { read: 0 } });

    harness.clock.nowMs += overMs;

    expect(await transfer(harness, "run-4", "inbox")).toMatchObject({
      counts: { read: 1, sent: 1 },
      balanced: true,
      possibly_repeated: 1,
    });
    expect(await held(harness, "a1")).toBe("NEW");
    expect(await transfer(harness, "run-5", "inbox")).toMatchObject({ counts: { read: 0 } });
  });

  it("has a row sent once more by a resend, with its checkpoint where it is", async () => {
    const { query, url } = await postgres();
    await query(`create table companies (id text primary key, domain text not null, name text, updated_at timestamptz
      not null);
      insert into companies values ('a1', 'a.example', 'OLD', now() - interval '2 days')`);
    const harness = await Harness.open({ yaml: companiesYaml(url) });
    const zombie = await TestRun.open(harness);
    const late = await lateRequest(zombie, await zombie.stage());
    harness.terminated.add("first-run-1");
    await query("update companies set name = 'NEW', updated_at = now() - interval '1 day'");
    await transfer(harness, "run-2");
    await late.arrive();
    expect(await held(harness, "a1")).toBe("OLD");
    const { target } = harness.deps;
    const before = await harness.state.checkpoint({ target, sync: "accounts" });
    const look = async () =>
      await harness.perform(harness.activities.lookForDoubts, { sync: "accounts" });
    expect(await look()).toMatchObject({
      inDoubt: 1,
      due: 0,
      waitMs: expect.any(Number) as unknown,
    });

    harness.clock.nowMs += overMs;
    expect(await look()).toMatchObject({ inDoubt: 1, due: 1 });
    expect(await resend(harness, "run-3")).toMatchObject({ kind: "resend", counts: { sent: 1 } });

    expect(await held(harness, "a1")).toBe("NEW");
    expect(await harness.state.checkpoint({ target, sync: "accounts" })).toEqual(before);
    expect(await look()).toMatchObject({ inDoubt: 0, due: 0 });
  });
});
