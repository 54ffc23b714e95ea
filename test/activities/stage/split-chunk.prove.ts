import { describe, expect, it } from "vitest";

import { ApiRejectedError } from "../../../src/errors.ts";
import { splitsPerRunMin } from "../../../src/pipeline/limits.ts";
import { accountsCsv, failureOf } from "../../support/project/harness.ts";
import { rows, runOver, splitOf, type TestRun } from "../../support/project/test-run.ts";

async function keysTaken({ harness }: TestRun): Promise<string[]> {
  return [...(await harness.sandbox.names()).keys()].toSorted((a, b) => a.localeCompare(b));
}

describe("what the service itself finds too large", () => {
  it("is named as a line of a file, and the other lines are sent", async () => {
    // The row has less than the million bytes that a CSV row may have; its record in JSON has more.
    const csv = accountsCsv(rows, (row) => (row === 2 ? "é".repeat(499_980) : "short"));
    const run = await runOver(csv);
    expect(await run.transfer("file")).toMatchObject({
      balanced: true,
      counts: { read: rows, sent: 4, rejected: 1 },
    });
    expect(await run.rejects()).toMatchObject([
      { place: "accounts.csv:4", key: "a2", code: "refused_by_service" },
    ]);
    expect(await keysTaken(run)).toEqual(["a0", "a1", "a3", "a4"]);
  });
});

it("gets through with a service that names none of twenty bad records, each of which costs itself alone", async () => {
  const run = await runOver(accountsCsv(2_000, (row) => (row % 100 === 7 ? "BAD" : "good")));
  const { harness } = run;
  let uploads = 0;
  const uploadJson: typeof harness.deps.api.uploadJson = async ({ body }) => {
    uploads += 1;
    if (Buffer.from(body).includes("BAD")) throw new ApiRejectedError("422", { refused: [] });
    return await Promise.resolve({ fileKey: `k${uploads}`, note: undefined });
  };
  const activities = harness.activitiesWith({ api: { ...harness.deps.api, uploadJson } });
  const chunk = await run.stage();
  const parts = [0];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const ref = run.part(chunk, part);
    const sending = harness.perform(activities.uploadJson, ref).then(() => undefined);
    const failure = await sending.catch(
      async (error: unknown) => await failureOf(Promise.reject(error)),
    );
    if (failure === undefined) continue;
    const how = splitOf(failure);
    if (how === undefined) throw failure;
    parts.unshift(...(await run.split(ref, how)));
  }
  await run.commit(chunk);
  expect(await run.close()).toMatchObject({
    outcome: "done_with_rejects",
    balanced: true,
    counts: { read: 2_000, sent: 1_980, rejected: 20 },
    possibly_repeated: 0,
  });
  // The guaranteed minimum would not have been enough.
  expect(uploads).toBeGreaterThan(splitsPerRunMin);
});
