import { describe, expect, it } from "vitest";

import { registerApprove } from "../../../../src/cli/run/approve.ts";
import { accountsCsv, accountsYaml, Harness } from "../../../support/project/harness.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { stageAll, TestRun } from "../../../support/project/test-run.ts";

const yaml = accountsYaml("hold_if: { new_above: 3 }");

/** A project whose first night is held. */
async function heldNight(): Promise<Harness> {
  const harness = await Harness.open({ yaml, files: { "accounts.csv": accountsCsv(5) } });
  const run = await TestRun.open(harness);
  await stageAll(run);
  expect(await harness.perform(harness.activities.weighRun, run.opened)).toMatchObject({
    number: 1,
  });
  return harness;
}

describe("sluice approve", () => {
  it("says of a sync that has another name by now that it is not there any more", async () => {
    const harness = await heldNight();
    await harness.withYaml(yaml.replace("  accounts:\n", "  companies:\n"));
    await expect(runVerb(registerApprove, harness, ["approve", "run-1"])).rejects.toMatchObject({
      message: expect.stringMatching(
        /^there is no sync "accounts" in .*sluice\.yaml any more, and run run-1 is held of it: it was not sent$/,
      ) as unknown,
      hint: "`sluice discard run-1`, or give the sync its name back until it is sent",
    });
  });

  it("says of a sync that was edited meanwhile that what is staged is not what it makes now", async () => {
    const harness = await heldNight();
    await harness.withYaml(yaml.replace("{ name: name }", "{ title: name }"));
    await expect(runVerb(registerApprove, harness, ["approve", "run-1"])).rejects.toThrow(
      "the configuration of sync accounts changed since run run-1 staged what is held: it was not sent",
    );
  });
});
