import { randomBytes } from "node:crypto";

import { beforeAll, describe, expect, it } from "vitest";

import { accountsCsv } from "../support/project/harness.ts";
import { runOver, splitOf, type Staged, type TestRun } from "../support/project/test-run.ts";

const rows = 32;

/** Text that gzip cannot compress much: more of it than the network between two sockets holds. */
const text = randomBytes(675_000).toString("base64");

let csv: string;
beforeAll(() => {
  csv = accountsCsv(rows, (row) => `${row}${text}`.slice(0, 900_000));
});

async function stagedLarge(): Promise<{ readonly run: TestRun; readonly chunk: Staged }> {
  const run = await runOver(csv);
  return { run, chunk: await run.stage() };
}

describe("row 25: a PUT that is cut in the middle of a large file", () => {
  it("three times at one place is split, and its halves are sent", async () => {
    const { run, chunk } = await stagedLarge();
    const { sandbox, clock } = run.harness;
    sandbox.order("put", { resetAt: 1_000_000 }, { times: 3 });
    for (const time of [1, 2]) {
      const failure = await run.attemptPart(run.part(chunk), "file");
      expect([time, failure]).toMatchObject([time, { type: "Unavailable", nonRetryable: false }]);
      clock.nowMs += 60_000;
    }
    const last = await run.attemptPart(run.part(chunk), "file");
    expect(last).toMatchObject({ type: "ServiceFails", nonRetryable: true });
    const how = last === undefined ? undefined : splitOf(last);
    if (how === undefined) throw new Error("a split was expected");
    for (const part of await run.split(run.part(chunk), how)) {
      expect(await run.attemptPart(run.part(chunk, part), "file")).toBeUndefined();
    }
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ counts: { sent: rows }, possibly_repeated: 0 });
    expect(await sandbox.recordsTaken()).toBe(rows);
  });
});

describe("row 48: a PUT that is answered 200 before its file was read", () => {
  it.each(["close", "leave"] as const)(
    "is not believed, though the server may %s",
    async (early200) => {
      const { run, chunk } = await stagedLarge();
      const { sandbox, clock } = run.harness;
      sandbox.order("put", { early200 });
      expect(await run.attemptPart(run.part(chunk), "file")).toMatchObject({ type: "Unavailable" });
      expect(await sandbox.ledger("confirm-upload")).toEqual([]);
      clock.nowMs += 60_000;
      await run.send(chunk);
      expect(await sandbox.recordsTaken()).toBe(rows);
    },
  );
});
