import { expect, it, onTestFinished } from "vitest";

import { listedSchedules, listText } from "../../../../src/cli/schedule/list.ts";
import { applyChange, planSchedules, scheduledNames } from "../../../../src/schedules/plan.ts";
import type { Wanted } from "../../../../src/schedules/wanted.ts";
import { until } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

const owner = { taskQueue: "sluice", storeId: "store-1" };

it("shows a schedule that is not in the file as left over, or as another project's", async () => {
  const { client, close } = await ownNamespace(await temporaryFolder());
  onTestFinished(close);
  const schedule = { cron: "30 2 * * *", timeZone: "UTC" };
  const accounts: Wanted = {
    name: "accounts",
    schedule,
    workflow: "sync",
    input: { sync: "accounts" },
  };
  for (const change of (await planSchedules(client, [accounts], owner)).changes) {
    await applyChange(client, change, owner);
  }
  // Temporal's list of schedules lags behind the description of each by its id.
  await until(async () => (await scheduledNames(client, owner.taskQueue)).length === 1);
  const textFor = async (storeId: string): Promise<string> => {
    const from = { client, owner: { ...owner, storeId }, state: { runs: async () => [] } };
    return listText(await listedSchedules(from, [], new Date()));
  };
  expect(await textFor("store-1")).toBe("accounts  not in sluice.yaml any more");
  expect(await textFor("store-2")).toBe("accounts  another project made it");
});
