import { rm } from "node:fs/promises";

import { array, assert, asyncProperty, constantFrom, integer, tuple } from "fast-check";
import { describe, expect, it } from "vitest";

import { lightweightBodyBytesMax } from "../../../src/limits.ts";
import { accountsCsv, dyingAt, failureOf } from "../../support/project/harness.ts";
import { rows, runOver, stagedRun, TestRun } from "../../support/project/test-run.ts";
import { trials } from "../../support/trials.ts";

describe("uploadJson", () => {
  it("sends every record once and in order, in bodies that never exceed their limit as sent", async () => {
    const name = tuple(constantFrom("x", "é", "€", "😀"), integer({ min: 1, max: 220_000 })).map(
      ([character, length]) => character.repeat(length),
    );
    await assert(
      asyncProperty(array(name, { minLength: 1, maxLength: 12 }), async (names) => {
        const csv = accountsCsv(names.length, (row) => names[row] ?? "");
        const run = await runOver(csv, { request: { mode: "lightweight" } });
        const { sandbox, state } = run.harness;
        const chunk = await run.stage();
        await run.send(chunk, "body");
        const sent = await sandbox.ledger("upload-json");
        const receipts = await state.receipts(run.part(chunk));
        expect(sent.map(({ bytes, records }) => [bytes, records])).toEqual(
          receipts.map(({ jsonBytes, records }) => [jsonBytes, records]),
        );
        expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThanOrEqual(
          lightweightBodyBytesMax,
        );
        expect(await sandbox.recordsTaken()).toBe(names.length);
        const held = await sandbox.names();
        expect(names.map((_, row) => held.get(`a${row}`))).toEqual(names);
        expect(receipts.map(({ ranges }) => ranges[0]?.[0])).toEqual(
          receipts.map((_, part) =>
            receipts.slice(0, part).reduce((sum, { records }) => sum + records, 0),
          ),
        );
      }),
      { numRuns: trials(2) },
    );
  });
});

it(
  "uploadJson reads its body before it notes that it leaves: reading a large chunk takes longer " +
    "than a noted request may wait",
  async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    await rm(harness.deps.stagingFolder, { recursive: true });
    const part = run.part(chunk);
    expect(await run.attemptPart(part, "body")).toMatchObject({ type: "StagedFileMissing" });
    expect(await harness.state.receipt(part)).toBeUndefined();
  },
);

it("a commit that cannot be prepared fails no request, and is tried once for all parts", async () => {
  const { run, chunk } = await stagedRun();
  const { harness } = run;
  const asked: string[] = [];
  const prepareCommit = async (): Promise<void> => {
    asked.push((await harness.state.receipt(run.part(chunk)))?.state ?? "none");
    throw new Error("the store is away");
  };
  const state = { ...harness.deps.state, prepareCommit };
  const { uploadJson } = harness.activitiesWith({ state });
  await harness.perform(uploadJson, run.part(chunk));
  expect(asked).toEqual(["sending"]);
  expect(await run.receipt(run.part(chunk))).toMatchObject({ state: "accepted", attempts: 1 });
  expect(await harness.sandbox.recordsTaken()).toBe(rows);
});

describe("uploadJson twice", () => {
  it("sends once when the first attempt was answered", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { uploadJson } = harness.activities;
    const first = await harness.perform(uploadJson, run.part(chunk));
    expect(await harness.perform(uploadJson, run.part(chunk), { attempt: 2 })).toEqual(first);
    expect(await harness.sandbox.ledger()).toHaveLength(1);
    expect(await run.stored()).toMatchObject({ possiblyRepeated: 0, requests: 1, retries: 1 });
  });

  it("sends again what the service took without an answer, and counts it", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    harness.sandbox.order("upload-json", { dropReply: true });
    const part = run.part(chunk);
    const { uploadJson } = harness.activities;
    expect(await failureOf(harness.perform(uploadJson, part))).toMatchObject({
      type: "OutcomeUnknown",
      nonRetryable: false,
    });
    await harness.perform(uploadJson, part, { attempt: 2 });
    expect(await harness.sandbox.recordsTaken()).toBe(2 * rows);
    expect(await run.stored()).toMatchObject({ possiblyRepeated: rows, requests: 2 });
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ balanced: true, counts: { sent: rows } });
  });

  it("counts what the service took when the worker died before it had noted so", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { uploadJson } = harness.activitiesWith(dyingAt(harness, "movePart"));
    const part = run.part(chunk);
    await failureOf(harness.perform(uploadJson, part));
    await harness.perform(uploadJson, part, { attempt: 2 });
    expect(await harness.sandbox.recordsTaken()).toBe(2 * rows);
    expect(await run.stored()).toMatchObject({ possiblyRepeated: rows });
  });
});

/** A 200 with these words. */
function answer(status: string, message = "stored"): { status: number; body: object } {
  return { status: 200, body: { status, message, file_key: "uploads/1" } };
}

describe("uploadJson answered 200 in words of its own", () => {
  it("sends no part that was taken in part as a whole, and counts it as possibly repeated", async () => {
    const { run } = await stagedRun();
    run.harness.sandbox.order("upload-json", answer("partial_success"));
    expect(await run.transfer("body")).toMatchObject({
      balanced: true,
      counts: { sent: rows, rejected: 0 },
      possibly_repeated: rows,
    });
    expect(await run.harness.sandbox.recordsTaken()).toBe(rows);
  });

  it("rejects a record of which it alone was said that it was not taken", async () => {
    const { run } = await stagedRun();
    const { sandbox } = run.harness;
    // a0…a4, a0…a2, a0 and a1, a0.
    const told = ["4 of 5 records accepted", "2 of 3 records accepted", "1 rejected", "rejected"];
    for (const message of told) sandbox.order("upload-json", answer("success", message));
    expect(await run.transfer("body")).toMatchObject({ counts: { sent: 4, rejected: 1 } });
    expect(await run.rejects()).toMatchObject([{ key: "a0", code: "refused_by_service" }]);
  });

  it("keeps the request in doubt, because the service may have taken the records", async () => {
    const { run, chunk } = await stagedRun();
    run.harness.sandbox.order("upload-json", answer("partial_success"));
    expect(await run.attemptPart(run.part(chunk), "body")).toMatchObject({
      type: "RecordsRejected",
    });
    expect(await run.receipt(run.part(chunk))).toMatchObject({ state: "sending" });
  });

  it("accepts a status that was not seen before, and warns of it in one run alone", async () => {
    const { run } = await stagedRun();
    const { harness } = run;
    harness.sandbox.order("upload-json", answer("handed_on"), { times: 2 });
    expect(await run.transfer("body")).toMatchObject({
      counts: { sent: rows },
      warnings: [
        'the service answered 200 with the status "handed_on", which was not seen before: it counts as accepted',
      ],
    });
    await harness.write(
      "accounts.csv",
      accountsCsv(rows, () => "another name"),
    );
    const next = await TestRun.open(harness, { runId: "run-2" });
    expect(await next.transfer("body")).toMatchObject({ counts: { sent: rows }, warnings: [] });
  });
});
