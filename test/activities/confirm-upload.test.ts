import { describe, expect, it } from "vitest";

import { dyingAt, failureOf, type Harness } from "../support/harness.ts";
import { rows, stagedRun } from "../support/test-run.ts";

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
