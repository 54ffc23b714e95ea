import { expect } from "vitest";

import type { Harness } from "../../support/project/harness.ts";
import { openPullHarness, rowsOf } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

/** A pull that makes its calls domain by domain. */
export const overDomains = { pull: "hiring", reads: "domains" } as const;

/** Begins a run of it, with its domains listed. */
export async function openOverDomains(harness: Harness, runId = "run-1"): Promise<PullRun> {
  const run = await PullRun.open(harness, { ...overDomains, runId });
  await run.listDomains();
  return run;
}

/** Domains of companies that every sandbox starts with, in the order of their names. */
export async function knownDomains(): Promise<readonly string[]> {
  const harness = await openPullHarness();
  const { target } = harness.deps;
  await (await PullRun.open(harness)).finish();
  expect(await harness.state.pullPlace({ target, pull: "scores" })).toMatchObject({ isDone: true });
  const rows = await rowsOf(harness, "scores.csv");
  return rows
    .slice(1)
    .map((row) => `${row.split(",")[1]?.toLowerCase().replaceAll(" ", "-")}.example`);
}
