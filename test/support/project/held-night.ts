import { accountsCsv, accountsYaml, Harness } from "./harness.ts";
import { stageAll, TestRun } from "./test-run.ts";

/** The `sluice.yaml` of `heldNight`. */
export const heldYaml: string = accountsYaml("hold_if: { new_above: 3 }");

/** A project whose first night, run-1, is held. */
export async function heldNight(): Promise<Harness> {
  const files = { "accounts.csv": accountsCsv(5) };
  const harness = await Harness.open({ yaml: heldYaml, files });
  const run = await TestRun.open(harness);
  await stageAll(run);
  if ((await harness.perform(harness.activities.weighRun, run.opened))?.number === 1)
    return harness;
  throw new Error("the night is not held");
}
