import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { registerRejects } from "../../../../src/cli/run/rejects.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";

/** What `sluice rejects …` prints and says. */
async function said({ folder, sandbox }: Harness, ...args: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const environment = readEnvironment({
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const say = (text: string): void => void lines.push(text);
  const program = new Command().exitOverride();
  registerRejects(program, { cwd: folder, environment, print: say, say, exit: () => undefined });
  await program.parseAsync(["rejects", ...args], { from: "user" });
  return lines;
}

describe("sluice rejects list --open", () => {
  it("shows what is open, whichever run holds it, and says where nothing is", async () => {
    const files = { "accounts.csv": "id,domain,name\na,a.example,A\nb,,B\n" };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    expect(await said(harness, "list", "--open")).toEqual(["no sync has open rejects"]);
    await (await TestRun.open(harness)).transfer();
    await harness.write("accounts.csv", "id,domain,name\na,a.example,A\n");
    await (await TestRun.open(harness, { runId: "run-2" })).close({ outcome: "failed" });
    expect(await said(harness, "list", "--open", "--limit", "9")).toEqual([
      "accounts.csv:3: domain is required, and empty",
    ]);
    await (await TestRun.open(harness, { runId: "run-3" })).transfer();
    expect(await said(harness, "list", "--open", "--sync", "accounts")).toEqual([
      "accounts has no open rejects",
    ]);
  });

  it("refuses what says two things, and a sync that is not there", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    await expect(said(harness, "list", "--open", "--run", "r")).rejects.toThrow(
      "--open and --run exclude each other",
    );
    await expect(said(harness, "list", "--open", "--sync", "acounts")).rejects.toThrow(
      'there is no sync "acounts"',
    );
  });
});
