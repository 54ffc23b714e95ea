import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { accountsCsv, accountsYaml, failureOf, Harness } from "../../../support/project/harness.ts";
import { runOver, TestRun } from "../../../support/project/test-run.ts";

async function harnessOver(content: string | Uint8Array): Promise<Harness> {
  return await Harness.open({ yaml: accountsYaml(), files: { "accounts.csv": content } });
}

describe("a run over a CSV file", () => {
  it("commits no row of a gzip file that is cut, and sends all of them once it is whole", async () => {
    const whole = gzipSync(accountsCsv(3_000));
    const harness = await harnessOver(whole.subarray(0, -9));
    const run = await TestRun.open(harness);
    const failure = await failureOf(run.stage());
    expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
    expect(failure.message).toBe("accounts.csv: the gzip file ends in the middle");
    const report = await run.close({ outcome: "failed" });
    expect(report.counts).toMatchObject({ read: 0, sent: 0 });
    expect((await harness.sandbox.names()).size).toBe(0);
    await writeFile(join(harness.folder, "accounts.csv"), whole);
    const next = await TestRun.open(harness, { runId: "run-2" });
    expect((await next.transfer()).counts).toMatchObject({ read: 3_000, sent: 3_000 });
  });

  it("warns of no rows where the run before had some, once, and of nothing else", async () => {
    const run = await runOver(accountsCsv(3));
    expect((await run.transfer()).warnings).toEqual([]);
    await run.harness.write("accounts.csv", accountsCsv(0));
    const empty = await TestRun.open(run.harness, { runId: "run-2" });
    const report = await empty.transfer();
    expect(report).toMatchObject({ outcome: "done", counts: { read: 0 } });
    expect(report.warnings).toEqual([
      "the source held no rows, where run run-1 read 3: check that it is whole, and see min_rows",
    ]);
    const again = await TestRun.open(run.harness, { runId: "run-3" });
    expect((await again.transfer()).warnings).toEqual([]);
  });

  it("does not warn of an append-only file to which nothing was added", async () => {
    const yaml = accountsYaml().replace(
      "path: accounts.csv",
      "path: accounts.csv, append_only: true",
    );
    const harness = await Harness.open({ yaml, files: { "accounts.csv": accountsCsv(3) } });
    await (await TestRun.open(harness)).transfer();
    const report = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    expect(report).toMatchObject({ counts: { read: 0 }, warnings: [] });
  });

  it("keeps a row that stands where a header line should out of what Temporal stores", async () => {
    const harness = await harnessOver("acme,acme.example,acme\nb,b.example,Bob\n");
    const failure = await failureOf(TestRun.open(harness));
    expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: true });
    expect(failure.message).toContain("columns 1, 3 share a name");
    expect(JSON.stringify([failure.message, failure.details, failure.cause])).not.toMatch(
      /acme|Bob/,
    );
  });
});
