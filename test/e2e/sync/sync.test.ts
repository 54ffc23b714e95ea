import { describe, expect, it } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { until } from "../../support/process/process.ts";
import { accountsCsv, syncsConfig, type Project } from "../../support/project/project.ts";
import { sharedProject } from "../../support/project/shared-project.ts";

const shared = sharedProject({ "sluice.yaml": syncsConfig({ changed: "mode: heavyweight" }) });

/** Starts a run of a sync under the sync's name. */
async function start(sync: string): ReturnType<Project["start"]> {
  return await shared().start({ sync }, sync);
}

async function run(sync: string): Promise<RunReport> {
  return await (await start(sync)).result();
}

/** The record that a sync made from a row, as JSON. */
async function record(sync: string, row: number): Promise<string | undefined> {
  return (await shared().records()).get(`${sync}-a${row}`);
}

describe("workflow sync", () => {
  it("sends only what has changed, and a value that went A, B, A while B was in flight ends as A", async () => {
    const project = shared();
    const put = async (name: string): Promise<void> =>
      await project.write(
        "changed.csv",
        accountsCsv(3, (row) => (row === 1 ? name : `C${row}`)),
      );
    await put("A");
    const first = await project.sluice("run", "changed");
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("= sent 3")]);
    expect((await run("changed")).counts.sent).toBe(0);

    await put("B");
    project.sandbox.order({ step: "confirm-upload", do: { noAnswer: true } });
    const inFlight = await start("changed");
    await until(async () => (await record("changed", 1))?.includes('"name":"B"'));
    await inFlight.terminate();
    await put("A");
    expect((await run("changed")).counts.sent).toBe(1);
    expect(await record("changed", 1)).toContain('"name":"A"');
  });
});
