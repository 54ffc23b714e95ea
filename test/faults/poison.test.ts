import type { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import { poisonTimesMax } from "../../activities/limits.ts";
import type { Receipt } from "../../src/state/contract/sends/receipts.ts";
import { accountsCsv } from "../support/project/harness.ts";
import {
  runOver,
  splitOf,
  stagedRun,
  type Staged,
  type TestRun,
} from "../support/project/test-run.ts";
import { stepOf } from "./play/play.ts";

const records = 64;

/** The index of the record, from 0, at which the service fails. */
const poison = 41;

type Form = Receipt["form"];

const columnOf = { file: "confirm", body: "json" } as const;

function holdsPoison({ ranges }: Receipt): boolean {
  return ranges.some(([from, to]) => from <= poison && poison < to);
}

/** Attempts one part until the service has taken it or it must be split; the clock moves as each failure says. */
async function sendPart(
  run: TestRun,
  at: { readonly chunk: Staged; readonly part: number; readonly form: Form },
): Promise<ApplicationFailure | undefined> {
  const { sandbox, clock } = run.harness;
  const ref = run.part(at.chunk, at.part);
  for (let failures = 0; ; failures++) {
    const receipt = await run.receipt(ref);
    const isPoisoned = receipt === undefined || holdsPoison(receipt);
    if (isPoisoned && failures <= poisonTimesMax) {
      sandbox.order(stepOf[columnOf[at.form]], { status: 500 });
    }
    const failure = await run.attemptPart(ref, at.form);
    if (failure === undefined || splitOf(failure) !== undefined) return failure;
    expect(failure).toMatchObject({ type: "OutcomeUnknown", nonRetryable: false });
    expect(failures).toBeLessThanOrEqual(poisonTimesMax);
    clock.nowMs += 60_000;
  }
}

/** Sends a chunk as the workflow does. Returns how many parts it took beyond the first. */
async function sendAll(run: TestRun, chunk: Staged, form: Form): Promise<number> {
  const parts = [0];
  let extra = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const failure = await sendPart(run, { chunk, part, form });
    const how = failure === undefined ? undefined : splitOf(failure);
    if (how === undefined) continue;
    expect(how).toEqual({ halves: true, why: "service_fails" });
    const halves = await run.split(run.part(chunk, part), how);
    extra += halves.length;
    parts.unshift(...halves);
  }
  return extra;
}

describe.each(["file", "body"] as const)(
  "a record that the service fails on, sent in a %s,",
  (form) => {
    it("is found by halving and rejected, and every other record is sent once", async () => {
      const run = await runOver(accountsCsv(records));
      const chunk = await run.stage();
      const extra = await sendAll(run, chunk, form);
      expect(extra).toBeLessThanOrEqual(2 * Math.log2(records));
      await run.commit(chunk);
      const report = await run.close();
      expect(report).toMatchObject({
        outcome: "done_with_rejects",
        balanced: true,
        counts: { sent: records - 1, rejected: 1 },
        reject_reasons: [{ code: "service_fails", example: `accounts.csv:${poison + 2}` }],
      });
      expect(await run.rejects()).toMatchObject([
        { key: `a${poison}`, step: "send", reason: "the service fails on it" },
      ]);
      const { sandbox } = run.harness;
      expect(await sandbox.recordsTaken()).toBe(records - 1);
      // 64 + 32 + … + 1 records were in doubt, six times each.
      expect(report.possibly_repeated).toBe((poisonTimesMax + 1) * (2 * records - 1));
      const confirmed = (await sandbox.ledger("confirm-upload")).filter(({ applied }) => applied);
      const files = confirmed.map(({ gzip_sha256: sha256 }) => sha256);
      expect(new Set(files).size).toBe(files.length);
    });

    it("is not taken for one when the outage that it met is just over", async () => {
      const { run, chunk } = await stagedRun();
      const { sandbox, clock } = run.harness;
      sandbox.order(stepOf[columnOf[form]], { status: 500 }, { times: poisonTimesMax });
      for (let failures = 0; failures < poisonTimesMax; failures++) {
        await run.attemptPart(run.part(chunk), form);
        clock.nowMs += 60_000;
      }
      expect(await run.attemptPart(run.part(chunk), form)).toBeUndefined();
      await run.commit(chunk);
      expect(await run.close()).toMatchObject({ counts: { sent: 5, rejected: 0 }, parts: 1 });
    });

    it("is not taken for one while the service says when to come back", async () => {
      const { run, chunk } = await stagedRun();
      const { sandbox, clock } = run.harness;
      const later = { status: 503, headers: { "retry-after": "5" } };
      const times = poisonTimesMax + 2;
      sandbox.order(stepOf[columnOf[form]], later, { times });
      for (let failures = 0; failures < times; failures++) {
        const failure = await run.attemptPart(run.part(chunk), form);
        expect(failure).toMatchObject({ type: "OutcomeUnknown", nonRetryable: false });
        clock.nowMs += 60_000;
      }
      expect(await run.attemptPart(run.part(chunk), form)).toBeUndefined();
      await run.commit(chunk);
      expect(await run.close()).toMatchObject({ counts: { sent: 5, rejected: 0 }, parts: 1 });
    });

    it("is not taken for one while no other request succeeds either", async () => {
      const { run, chunk } = await stagedRun();
      const { sandbox, clock } = run.harness;
      const step = stepOf[columnOf[form]];
      sandbox.order(step, { status: 500 }, { times: poisonTimesMax });
      for (let failures = 0; failures < poisonTimesMax; failures++) {
        const failure = await run.attemptPart(run.part(chunk), form);
        expect(failure?.type).toBe("OutcomeUnknown");
        clock.nowMs += 60_000;
      }
      const asked = (await sandbox.ledger(step)).length;
      sandbox.order("generate-upload-url", { status: 500 });
      expect(await run.attemptPart(run.part(chunk), form)).toMatchObject({ type: "Unavailable" });
      expect(await sandbox.ledger(step)).toHaveLength(asked);
      clock.nowMs += 60_000;
      expect(await run.attemptPart(run.part(chunk), form)).toBeUndefined();
      await run.commit(chunk);
      expect(await run.close()).toMatchObject({ counts: { sent: 5, rejected: 0 }, parts: 1 });
    });
  },
);

/** The names of the second thousand rows are longer. */
function longer(row: number): string {
  return "name".repeat(row < 1_000 ? 1 : 150) + row;
}

describe.each(["file", "body"] as const)("a %s that was too large for the service", (form) => {
  it("has later ones that are not smaller split before they are sent", async () => {
    const run = await runOver(accountsCsv(2_000, longer), { sync: ["chunk: { records: 1000 }"] });
    const { sandbox } = run.harness;
    sandbox.order(form === "file" ? "put" : "upload-json", { status: 413 });
    const first = await run.stage(1);
    await run.send(first, form);
    await run.commit(first);
    const second = await run.stage(2);
    const before = (await sandbox.ledger()).length;
    expect(await run.attemptPart(run.part(second), form)).toMatchObject({ type: "TooLarge" });
    expect(await sandbox.ledger()).toHaveLength(before);
    // A half that is larger than the refused part is split again.
    await run.send(second, form);
    await run.commit(second);
    expect(await run.close()).toMatchObject({
      balanced: true,
      counts: { read: 2_000, rejected: 0 },
    });
    expect((await sandbox.ledger()).filter(({ status }) => status === 413)).toHaveLength(1);
  });
});
