import { Command } from "commander";
import { expect, it } from "vitest";

import { registerRuns } from "../../../../src/cli/run/runs.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";

/** The output of `sluice runs` with these arguments. */
async function said({ folder, sandbox }: Harness, ...args: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const environment = readEnvironment({
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const program = new Command().exitOverride().configureOutput({ outputError: () => undefined });
  registerRuns(program, { cwd: folder, environment, print, say: print, exit: () => undefined });
  await program.parseAsync(["runs", ...args], { from: "user" });
  return lines;
}

/** The ids of the runs that `sluice runs list` shows. */
async function listed(harness: Harness, ...args: readonly string[]): Promise<string[]> {
  const lines = await said(harness, "list", ...args);
  return lines
    .join("\n")
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ")[0] ?? "");
}

it("`sluice runs list` and `show` say that there are none, and not where to find them", async () => {
  const harness = await Harness.open({ yaml: accountsYaml() });
  expect(await said(harness, "list")).toEqual(["there are no runs yet"]);
  expect(await said(harness, "list", "--failed")).toEqual(["there are no such runs"]);
  expect(await said(harness, "list", "--sync", "accounts", "--since", "7d")).toEqual([
    "there are no such runs of accounts",
  ]);
  expect(await said(harness, "list", "--json")).toEqual([]);
  await expect(said(harness, "show")).rejects.toMatchObject({
    message: "there is no run yet",
    hint: "`sluice run` makes the first",
  });
});

it("`sluice runs list` counts what a run has read and not committed, as `show` does", async () => {
  const harness = await Harness.open({
    yaml: accountsYaml(),
    files: { "accounts.csv": "id,domain,name\na,a.example,A\n,b.example,B\n" },
  });
  const run = await TestRun.open(harness, { runId: "run-1" });
  await run.stage(1);
  const [, row] = (await said(harness, "list")).join("\n").split("\n");
  expect(row?.split(/ +/)).toEqual(["run-1", "running", "2", "0", "0", "1"]);
  expect(await said(harness, "show")).toEqual([
    expect.stringContaining("read 2 so far = sent 0 + unchanged 0 + filtered 0 + rejected 1"),
  ]);
});

it("`sluice runs list` shows the runs that failed, and those since a time", async () => {
  const harness = await Harness.open({
    yaml: accountsYaml(),
    files: { "accounts.csv": "id,domain,name\na,a.example,A\n" },
  });
  for (const [runId, outcome] of [
    ["run-1", "failed"],
    ["run-2", "done"],
    ["run-3", "credits_exhausted"],
  ] as const) {
    await (await TestRun.open(harness, { runId })).close({ outcome });
  }
  expect(await listed(harness)).toEqual(["run-3", "run-2", "run-1"]);
  expect((await listed(harness, "--failed")).toSorted()).toEqual(["run-1", "run-3"]);
  // People read words, programs the store's values.
  expect((await said(harness, "list")).join("\n")).toMatch(/^run-3 {2}credits exhausted /m);
  expect(await said(harness, "list", "-n", "1", "--json")).toEqual([
    expect.stringContaining('"outcome":"credits_exhausted"'),
  ]);
  expect(await listed(harness, "--since", "2000-01-01", "-n", "2")).toHaveLength(2);
  expect(await said(harness, "list", "--since", "2999-01-01")).toEqual(["there are no such runs"]);
  await expect(listed(harness, "--sync", "acounts")).rejects.toThrow(
    /^there is no sync or pull "acounts" in .* \(did you mean "accounts"\?\)$/,
  );
  await expect(listed(harness, "--since", "soon")).rejects.toThrow("must be a time");
});
