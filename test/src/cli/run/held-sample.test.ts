import { describe, expect, it } from "vitest";

import { heldSample, type SampleRecord, sampleLine } from "../../../../src/cli/run/held-sample.ts";
import { ChangeCounts } from "../../../../src/pipeline/change-counts.ts";
import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { heldLines } from "../../../../src/text/hold-text.ts";
import { accountsCsv, accountsYaml, Harness } from "../../../support/project/harness.ts";
import { stageAll, TestRun } from "../../../support/project/test-run.ts";
import { collect } from "../../../support/sequences.ts";

const yaml = accountsYaml("hold_if: { changed_above: 10%, new_above: 1 }", "chunk: { records: 3 }");

async function sampleOf({ harness, opened }: TestRun): Promise<readonly SampleRecord[]> {
  const run = await harness.state.run(opened.runId);
  if (run === undefined) throw new Error("the run is not in the store");
  const { stagingFolder } = harness.deps;
  return await collect(heldSample(harness.state, { run, stagingFolder }));
}

const nameOf = (row: number): string =>
  row > 0 && row % 2 === 0 && row < 8 ? "renamed" : `name ${row}`;

/** A night in which rows 2, 4 and so on have another name, and four are new: three chunks. */
async function heldNight(): Promise<TestRun> {
  const harness = await Harness.open({ yaml, files: { "accounts.csv": accountsCsv(8) } });
  await (await TestRun.open(harness, { runId: "night-0" })).transfer();
  await harness.write("accounts.csv", accountsCsv(12, nameOf));
  const run = await TestRun.open(harness, { runId: "night-1" });
  await stageAll(run);
  return run;
}

describe("a sample of what is held", () => {
  it("is what was staged, and its places are told with the hold", async () => {
    const run = await heldNight();
    const { weighRun } = run.harness.activities;
    const hold = await run.harness.perform(weighRun, run.opened);
    expect(hold && heldLines(hold)).toEqual([
      "changed_above 10%: 3 of 8 known records changed (37.5%)",
      "new_above 1: 4 new",
      "new, for example: accounts.csv:10, accounts.csv:11, accounts.csv:12, accounts.csv:13",
      "changed, for example: accounts.csv:4, accounts.csv:6, accounts.csv:8",
    ]);
    const sample = await sampleOf(run);
    expect(sample.map(({ kind, place, record }) => [kind, place, record])).toMatchObject([
      ...[10, 11, 12, 13].map((line) => [
        "new",
        `accounts.csv:${line}`,
        { account_id: `a${line - 2}`, account_properties: { name: `name ${line - 2}` } },
      ]),
      ...[4, 6, 8].map((line) => [
        "changed",
        `accounts.csv:${line}`,
        { account_id: `a${line - 2}`, account_properties: { name: "renamed" } },
      ]),
    ]);
    expect(sampleLine({ kind: "new", place: null, record: { account_id: "a\u001b[2J" } })).toBe(
      'new      {"account_id":"a\\u001b[2J"}',
    );
    await run.close({ outcome: "discarded" });
    await expect(sampleOf(run)).rejects.toThrow("run night-1 is not held");
  });

  it("says where it is when its files are elsewhere", async () => {
    const run = await heldNight();
    const { weighRun } = run.harness.activities;
    await run.harness.perform(weighRun, run.opened);
    const stored = await run.harness.state.run("night-1");
    const { state } = run.harness;
    if (stored === undefined) throw new Error("the run is not in the store");
    const elsewhere = collect(heldSample(state, { run: stored, stagingFolder: "/nowhere" }));
    await expect(elsewhere).rejects.toThrow("are not on this host, or are lost");
  });

  it("names ten of each kind, and no place that may be a key", () => {
    const counts = new ChangeCounts({ chunk: 1, stage: 2, tellsPlaces: false });
    counts.addAgain(2);
    const all = [
      ...Array.from({ length: 12 }, () => verdict.new),
      verdict.unchanged,
      verdict.changed,
    ];
    counts.add(Uint8Array.from(all), () => "companies#secret");
    counts.add(Uint8Array.of(verdict.remapped), () => "companies#secret");
    const { examples = [] } = counts.all();
    const of = { chunk: 1, stage: 2, place: null };
    expect(examples).toEqual([
      ...Array.from({ length: 10 }, (_, at) => ({ ...of, kind: "new", record: 2 + at })),
      { ...of, kind: "changed", record: 14 },
      { ...of, kind: "changed", record: 15 },
    ]);
  });
});
