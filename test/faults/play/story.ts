import type { ApplicationFailure } from "@temporalio/common";
import { expect } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { resetLimits } from "../../../src/service/key-limits.ts";
import { splitOf } from "../../support/project/test-run.ts";
import type { Case, Code, SendColumn } from "./cell.ts";
import { expectedOf, type Expected } from "./expected.ts";
import { meetAll, meetsOf, tryEarly } from "./meet.ts";
import { Play, rows, stepOf } from "./play.ts";

/**
 * Plays one cell: the fault as often as it occurs, what must not leave meanwhile, and what comes after. Returns the
 * report.
 */
export async function showCell(fault: Case, column: SendColumn, code: Code): Promise<RunReport> {
  const play = await Play.prepare(column, fault);
  const expected = expectedOf(code, column, fault);
  const meets = meetsOf(fault, column);
  const last = await meetAll(play, { ...fault, meets, expected });
  const seen = requestsSeen(play, expected);
  expect(await play.requests()).toEqual(seen);
  await tryEarly(play, expected);
  const report = await goOn(play, expected, last);
  expect(report).toMatchObject({
    possibly_repeated: expected.repeated,
    requests: (await play.requests()).length + play.elsewhere,
    counts: { rejected: code === "DL" ? 1 : 0 },
  });
  if (expected.next === "stops") return report;
  expect(report.counts.sent).toBe(code === "DL" ? rows - 1 : rows);
  if (fault.isBelieved === true) return report;
  expect(await play.harness.sandbox.recordsTaken()).toBe(
    report.counts.sent + (isTakenAgain(fault, column) ? expected.repeated : 0),
  );
  return report;
}

/** Whether the service takes the records of each request that meets the fault. */
function isTakenAgain({ isApplied = false, sandbox }: Case, column: SendColumn): boolean {
  if (!isApplied) return false;
  return column === "json" || (column === "confirm" && sandbox?.confirms === "strict");
}

/** The requests that the sandbox must have seen so far, in order. */
function requestsSeen({ column, elsewhere }: Play, { fails }: Expected): string[] {
  const before = column === "confirm" ? [stepOf.generate, stepOf.put] : [];
  const address = column === "put" ? [stepOf.generate] : [];
  const own = elsewhere > 0 ? [] : [stepOf[column]];
  // An address whose fault is tolerated at once is used at once.
  const after = column === "generate" && fails.length === 0 ? [stepOf.put] : [];
  const times = Math.max(1, fails.length);
  return [...before, ...Array.from({ length: times }, () => [...address, ...own]).flat(), ...after];
}

/** Continues after the fault, up to the report. */
async function goOn(
  play: Play,
  { next }: Expected,
  last: ApplicationFailure | undefined,
): Promise<RunReport> {
  const { run, part, harness } = play;
  switch (next) {
    case "stops": {
      const failure = { code: last?.type ?? "", message: "stopped" };
      return await run.close({ outcome: "failed", failure });
    }
    case "splits": {
      const how = last === undefined ? undefined : splitOf(last);
      if (how === undefined) throw new Error("a refusal that is not split");
      for (const number of await run.split(part, how)) {
        const form = play.column === "json" ? "body" : "file";
        expect(await run.attemptPart({ ...part, part: number }, form)).toBeUndefined();
      }
      break;
    }
    case "uploads again": {
      const { uploadFile, confirmUpload } = harness.activities;
      const { fileKey } = await harness.perform(uploadFile, part);
      const puts = await harness.sandbox.ledger("put");
      expect(new Set(puts.map((put) => put.file_key)).size).toBe(2);
      expect(new Set(puts.map((put) => put.gzip_sha256)).size).toBe(1);
      await harness.perform(confirmUpload, { ...part, fileKey });
      break;
    }
    case "is reset by hand":
      await resetLimits(harness.state, "api:", harness.clock.moment());
      await play.attempt();
      await play.confirm();
      break;
    case "continues":
      await play.attempt();
      await play.confirm();
  }
  await run.commit(part);
  return await run.close();
}
