import { describe, expect, it } from "vitest";

import { accountsCsv, accountsYaml, failureOf, type Harness } from "../support/project/harness.ts";
import { csvWithBroken, runOver, TestRun } from "../support/project/test-run.ts";
import {
  none,
  sendUntilStopped,
  stopped,
  type Answer,
  type Form,
} from "../support/stopped-send.ts";
import { someOf } from "../support/trials.ts";

const forms = ["body", "file"] as const;

/** A stopped run: of eight records, a0 to a3 are taken, a4 is found, and that is one reject too many. */
async function stoppedRun(form: Form): Promise<TestRun> {
  const run = await runOver(accountsCsv(8), { sync: [none] });
  const chunk = await run.stage();
  const answers = ["refused", "taken", "refused", "refused", "refused"] as const;
  expect(await sendUntilStopped(run, chunk, { form, answers })).toBe("TooManyRejects");
  return run;
}

async function laterRun(run: TestRun, runId: string, full?: true): Promise<TestRun> {
  const harness = await run.harness.withYaml(accountsYaml());
  return await TestRun.open(harness, { runId, request: { full } });
}

describe.each(someOf(forms, 2))("a chunk that is given up on its way, as a %s", (form) => {
  it("counts as sent what was accepted of it, and leaves the checkpoint", async () => {
    const run = await stoppedRun(form);
    expect(await run.close(stopped)).toMatchObject({
      outcome: "failed",
      balanced: true,
      counts: { read: 5, sent: 4, rejected: 1 },
      possibly_repeated: 0,
      checkpoint: { before: 0, after: 0 },
    });
  });

  it(
    "is continued with by the next run: nothing goes twice, and what was refused is not looked for " +
      "again",
    async () => {
      const run = await stoppedRun(form);
      await run.close(stopped);
      const next = await laterRun(run, "run-2");
      expect(await next.transfer(form)).toMatchObject({
        balanced: true,
        counts: { read: 8, sent: 3, unchanged: 4, rejected: 1 },
        parts: 1,
      });
      expect(await next.rejects()).toMatchObject([
        { key: "a4", place: "accounts.csv:6", code: "refused_by_service", step: "send" },
      ]);
    },
  );

  it("tries what was refused once more after a run that got through", async () => {
    const run = await stoppedRun(form);
    await run.close(stopped);
    await (await laterRun(run, "run-2")).transfer(form);
    const third = await laterRun(run, "run-3");
    expect(await third.transfer(form)).toMatchObject({
      counts: { sent: 1, unchanged: 7, rejected: 0 },
    });
  });

  it("tries what was refused once more a day later: the fault may have been the service's", async () => {
    const run = await stoppedRun(form);
    await run.close(stopped);
    run.harness.clock.nowMs += 23 * 3_600_000;
    const second = await laterRun(run, "run-2");
    expect(await second.stage()).toMatchObject({ records: 3, counts: { rejected: 1 } });
    await second.close({ outcome: "cancelled" });
    run.harness.clock.nowMs += 3_600_001;
    const third = await laterRun(run, "run-3");
    expect(await third.transfer(form)).toMatchObject({ counts: { sent: 4, rejected: 0 } });
  });

  it("has a refused record tried that changed since, and all of them by a full run", async () => {
    const run = await stoppedRun(form);
    await run.close(stopped);
    const full = await laterRun(run, "run-2", true);
    expect(await full.stage()).toMatchObject({ records: 8, counts: { rejected: 0 } });
    await full.close({ outcome: "cancelled" });
    await run.harness.write(
      "accounts.csv",
      accountsCsv(8, (row) => (row === 4 ? "fixed" : `name ${row}`)),
    );
    const next = await laterRun(run, "run-3");
    expect(await next.transfer(form)).toMatchObject({ counts: { rejected: 0 } });
    expect((await next.harness.sandbox.names()).get("a4")).toBe("fixed");
  });
});

it("makes a key unknown again that was accepted and has a newer record in the rest", async () => {
  const csv = `${accountsCsv(8)}a0,c0.example,newer\n`;
  const run = await runOver(csv, { sync: [none, "duplicate_keys: send"] });
  const chunk = await run.stage();
  const answers = ["refused", "taken", "refused", "refused", "refused"] as const;
  await sendUntilStopped(run, chunk, { form: "file", answers });
  await run.close(stopped);
  const harness = await run.harness.withYaml(accountsYaml("duplicate_keys: send"));
  const next = await TestRun.open(harness, { runId: "run-2" });
  await next.transfer();
  expect((await harness.sandbox.names()).get("a0")).toBe("newer");
});

it("is not continued with by its own run, and neither staged again nor split", async () => {
  const run = await stoppedRun("file");
  expect(await failureOf(run.stage())).toMatchObject({ type: "Superseded" });
  const halves = { halves: true, why: "refused_by_service" } as const;
  expect(await failureOf(run.split(run.part({ chunk: 1, stage: 1 }), halves))).toMatchObject({
    type: "ContractBroken",
  });
});

it("is known to sluice as the service holds it once its run was pruned", async () => {
  const run = await stoppedRun("file");
  await run.close(stopped);
  const { state } = run.harness.deps;
  expect(await state.pruneRuns({ before: "2030-01-01T00:00:00.000Z" })).toBe(1);
  const next = await laterRun(run, "run-2");
  expect(await next.transfer()).toMatchObject({ counts: { sent: 3, unchanged: 4, rejected: 1 } });
});

it("continues in the same way where no fingerprints are kept", async () => {
  const run = await runOver(accountsCsv(4), { sync: [none, "send: all"] });
  const chunk = await run.stage();
  const answers = ["refused", "refused", "refused"] as const;
  await sendUntilStopped(run, chunk, { form: "file", answers });
  await run.close(stopped);
  const harness = await run.harness.withYaml(accountsYaml("send: all"));
  const next = await TestRun.open(harness, { runId: "run-2" });
  expect(await next.transfer()).toMatchObject({ counts: { sent: 3, rejected: 1 } });
});

const oneMore = "reject_limit: { rate: 0%, rows: 1 }";

/** Edits the mapping after a run, and backfills with it until that is stopped. */
async function cutBackfill(first: TestRun, answers: readonly Answer[]): Promise<Harness> {
  const fixed = accountsYaml(none).replace("domain: domain", "domain: { value: fixed.example }");
  const harness = await first.harness.withYaml(fixed);
  const backfill = await TestRun.backfill(harness);
  const how = { form: "file", answers } as const;
  expect(await sendUntilStopped(backfill, await backfill.stage(), how)).toBe("TooManyRejects");
  await backfill.close(stopped);
  return harness;
}

it("leaves a reject open whose row a backfill read again and did not send: its replay does", async () => {
  const first = await runOver(csvWithBroken(8, [7]), { sync: [oneMore] });
  expect(await first.transfer()).toMatchObject({ counts: { sent: 7, rejected: 1 } });
  const answers = ["refused", "taken", "refused", "refused", "refused"] as const;
  const harness = await cutBackfill(first, answers);
  const { target } = harness.deps;
  expect(await harness.state.rejectsWhere({ isOpen: true, target, limit: 9 })).toMatchObject([
    { runId: "run-1" },
  ]);
  const request = { replay: { run: "run-1" } };
  const replay = await TestRun.open(harness, { runId: "run-2", request });
  expect(await replay.transfer()).toMatchObject({ counts: { sent: 1, filtered: 0 } });
  expect((await harness.sandbox.names()).get("a7")).toBe("name");
});

it("leaves a reject open whose row the service refused once more in a backfill", async () => {
  const half = ["refused", "taken"] as const;
  const answers = [...half, ...half, ...half, "refused"] as const;
  const first = await runOver(accountsCsv(8), { sync: [oneMore] });
  const chunk = await first.stage();
  expect(await sendUntilStopped(first, chunk, { form: "file", answers })).toBeUndefined();
  await first.commit(chunk);
  await first.close();
  const harness = await cutBackfill(first, answers);
  const { target } = harness.deps;
  expect(await harness.state.rejectsWhere({ isOpen: true, target, limit: 9 })).toMatchObject([
    { key: "a7" },
  ]);
});
