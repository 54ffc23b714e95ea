import { describe, expect, it } from "vitest";

import { dyingAt, failureOf, type Harness } from "../../support/project/harness.ts";
import { rows, stagedRun } from "../../support/project/test-run.ts";

describe("uploadFile twice", () => {
  it("uploads once when the first attempt was answered", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    const { uploadFile } = harness.activities;
    const first = await harness.perform(uploadFile, run.part(chunk));
    expect(await harness.perform(uploadFile, run.part(chunk), { attempt: 2 })).toEqual(first);
    expect(await harness.sandbox.ledger("put")).toHaveLength(1);
  });

  it.each([
    [
      "the PUT was not answered",
      (harness: Harness) => {
        harness.sandbox.order("put", { dropReply: true });
        return harness.activities;
      },
    ],
    [
      "the worker died before it had noted the key",
      (harness: Harness) => harness.activitiesWith(dyingAt(harness, "movePart")),
    ],
  ])(
    "uploads the same bytes under a new key when %s, which repeats nothing",
    async (_, prepare) => {
      const { run, chunk } = await stagedRun();
      const { harness } = run;
      const { uploadFile, confirmUpload } = prepare(harness);
      const part = run.part(chunk);
      expect(await failureOf(harness.perform(uploadFile, part))).toMatchObject({
        type: "Unavailable",
      });
      const { fileKey } = await harness.perform(uploadFile, part, { attempt: 2 });
      await harness.perform(confirmUpload, { ...part, fileKey });
      const puts = await harness.sandbox.ledger("put");
      expect(new Set(puts.map((put) => put.gzip_sha256)).size).toBe(1);
      expect(new Set(puts.map((put) => put.file_key)).size).toBe(2);
      expect(await harness.sandbox.recordsTaken()).toBe(rows);
      expect(await run.stored()).toMatchObject({ possiblyRepeated: 0 });
    },
  );
});
