import type { ApplicationFailure } from "@temporalio/common";
import { expect } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { resetLimits } from "../../../src/service/key-limits.ts";
import type { Case, Code } from "./cell.ts";
import { expectedOf, type Expected } from "./expected.ts";
import { meetAll, meetsOf, tryEarly } from "./meet.ts";
import { PagePlay } from "./page-play.ts";

/**
 * As `showCell`, for a page: the fault as often as it occurs, what must not leave meanwhile, and the page that comes
 * after.
 */
export async function showPageCell(fault: Case, code: Code): Promise<RunReport> {
  const play = await PagePlay.prepare(fault);
  const expected = expectedOf(code, "search", fault);
  const { limit } = play.pass;
  const meets = meetsOf(fault, "search");
  const last = await meetAll(play, { ...fault, meets, expected });
  const seen = play.elsewhere > 0 ? [] : expected.fails.map(() => "search");
  expect(await play.requests()).toEqual(seen);
  await tryEarly(play, expected);
  const report = await goOn(play, expected, last);
  expect(play.possiblyPaid).toBe(expected.repeated);
  expect(play.pass.limit).toBe(expected.next === "splits" ? limit / 2 : limit);
  expect(report.requests).toBe((await play.requests()).length + play.elsewhere);
  return report;
}

/** Continues after the fault, up to the report. */
async function goOn(
  play: PagePlay,
  { next }: Expected,
  last: ApplicationFailure | undefined,
): Promise<RunReport> {
  const { harness, run, pass } = play;
  if (next === "stops") {
    const failure = { code: last?.type ?? "", message: "stopped" };
    return await run.close({ outcome: "failed", failure });
  }
  if (next === "is reset by hand") {
    await resetLimits(harness.state, "api:", harness.clock.moment());
  }
  const { items, bad } = await play.attempt();
  expect(items).toHaveLength(pass.limit);
  expect(bad).toEqual([]);
  return await run.close();
}
