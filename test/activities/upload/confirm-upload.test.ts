import { describe, expect, it } from "vitest";

import { until } from "../../support/process/process.ts";
import { dyingAt, failureOf, type Harness } from "../../support/project/harness.ts";
import { rows, stagedRun } from "../../support/project/test-run.ts";

describe("confirmUpload twice", () => {
  it("confirms once when the first attempt was answered", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { uploadFile, confirmUpload } = harness.activities;
    const part = run.part(chunk);
    const input = { ...part, ...(await harness.perform(uploadFile, part)) };
    expect(await harness.perform(confirmUpload, input)).toEqual({});
    expect(await harness.perform(confirmUpload, input, { attempt: 2 })).toEqual({});
    expect(await harness.sandbox.ledger("confirm-upload")).toHaveLength(1);
    expect(await run.stored()).toMatchObject({ possiblyRepeated: 0 });
  });

  it.each([
    [
      "the service took it without an answer",
      (harness: Harness) => {
        harness.sandbox.order("confirm-upload", { dropReply: true });
        return harness.activities;
      },
    ],
    [
      "the worker died before it had noted so",
      (harness: Harness) => harness.activitiesWith(dyingAt(harness, "movePart")),
    ],
  ])("confirms the same key and counts its records when %s", async (_, prepare) => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const part = run.part(chunk);
    const { fileKey } = await harness.perform(harness.activities.uploadFile, part);
    const { confirmUpload } = prepare(harness);
    const input = { ...part, fileKey };
    expect(await failureOf(harness.perform(confirmUpload, input))).toMatchObject({
      nonRetryable: false,
    });
    await harness.perform(confirmUpload, input, { attempt: 2 });
    const confirms = await harness.sandbox.ledger("confirm-upload");
    expect(confirms).toMatchObject([
      { file_key: fileKey, applied: true },
      { file_key: fileKey, applied: false, status: 200 },
    ]);
    expect(await run.stored()).toMatchObject({ possiblyRepeated: rows });
  });
});

describe("confirmUpload of a part that two attempts uploaded at once", () => {
  it("writes down the key it confirms, whichever upload was noted last", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { api, state } = harness.deps;
    const part = run.part(chunk);
    const sleep = Promise.withResolvers<void>();
    const putFile: typeof api.putFile = async (input) => {
      await sleep.promise;
      await api.putFile(input);
    };
    const asleep = harness.activitiesWith({ api: { ...api, putFile } });
    const first = harness.perform(asleep.uploadFile, part);
    await until(async () => (await state.receipt(part))?.fileKey !== null);
    const second = await harness.perform(harness.activities.uploadFile, part);
    sleep.resolve();
    // Temporal knows the one that began first in the store: the other took its task from it while it was thought dead.
    const { fileKey } = await first;
    expect(fileKey).not.toBe(second.fileKey);
    expect(await state.receipt(part)).toMatchObject({ state: "uploaded", fileKey: second.fileKey });

    await harness.perform(harness.activities.confirmUpload, { ...part, fileKey });

    expect(await state.receipt(part)).toMatchObject({ state: "accepted", fileKey });
    expect(await harness.sandbox.ledger("confirm-upload")).toMatchObject([{ file_key: fileKey }]);
  });

  it("confirms no second key while the first one's answer is unknown", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { uploadFile, confirmUpload } = harness.activities;
    const part = run.part(chunk);
    const { fileKey } = await harness.perform(uploadFile, part);
    harness.sandbox.order("confirm-upload", { dropReply: true });
    await failureOf(harness.perform(confirmUpload, { ...part, fileKey }));
    const other = harness.perform(confirmUpload, { ...part, fileKey: "uploads/other" });
    expect(await failureOf(other)).toMatchObject({ type: "UploadGone" });
    expect(await harness.sandbox.ledger("confirm-upload")).toHaveLength(1);
    expect(await harness.deps.state.receipt(part)).toMatchObject({ state: "confirming", fileKey });
  });
});

describe("confirmUpload of an upload that is gone, twice", () => {
  it("says so again, and confirms nothing, until the part is uploaded anew", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { uploadFile, confirmUpload } = harness.activities;
    const part = run.part(chunk);
    const { fileKey } = await harness.perform(uploadFile, part);
    harness.sandbox.order("confirm-upload", { status: 410 });
    const gone = { type: "UploadGone", nonRetryable: true };
    for (const attempt of [1, 2]) {
      const confirm = harness.perform(confirmUpload, { ...part, fileKey }, { attempt });
      expect(await failureOf(confirm)).toMatchObject(gone);
    }
    expect(await harness.sandbox.ledger("confirm-upload")).toHaveLength(1);
    await run.send(chunk);
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ possibly_repeated: 0, counts: { sent: rows } });
  });
});

describe("confirmUpload answered in words that are no acceptance", () => {
  it.each([
    [
      "a 200 that speaks of some",
      { status: 200, body: { status: "success", message: "3 of 5 records accepted" } },
    ],
    [
      "a 409 of a file that was rejected",
      { status: 409, body: { message: "this file was already rejected" } },
    ],
  ])("sends the file's records in other files after %s", async (_, answer) => {
    const { run } = await stagedRun();
    run.harness.sandbox.order("confirm-upload", answer);
    expect(await run.transfer("file")).toMatchObject({
      balanced: true,
      counts: { sent: rows },
      possibly_repeated: rows,
    });
    const confirms = await run.harness.sandbox.ledger("confirm-upload");
    const keys = confirms.flatMap((entry) => ("file_key" in entry ? [entry.file_key] : []));
    expect(new Set(keys).size).toBe(keys.length);
    expect(await run.harness.sandbox.recordsTaken()).toBe(rows);
  });

  it("uploads again what a 409 calls expired", async () => {
    const { run, chunk } = await stagedRun();
    run.harness.sandbox.order("confirm-upload", {
      status: 409,
      body: { message: "already expired" },
    });
    expect(await run.attemptPart(run.part(chunk), "file")).toMatchObject({ type: "UploadGone" });
    expect(await run.receipt(run.part(chunk))).toMatchObject({ state: "staged" });
  });
});
