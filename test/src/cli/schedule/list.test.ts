import { expect, it, onTestFinished } from "vitest";

import { listedSchedules, listText } from "../../../../src/cli/schedule/list.ts";
import { applyChange, planSchedules, scheduledNames } from "../../../../src/schedules/plan.ts";
import type { Wanted } from "../../../../src/schedules/wanted.ts";
import { until } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
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
    const state = { runs: async () => [] };
    const from = { client, owner: { ...owner, storeId }, state, target: "t" };
    return listText(await listedSchedules(from, [], new Date()));
  };
  expect(await textFor("store-1")).toBe("accounts  not in sluice.yaml any more");
  expect(await textFor("store-2")).toBe("accounts  another project made it");
});

it("shows the last runs at the configured service alone, and which of them a person began", async () => {
  const { deps, folder } = await Harness.open({ yaml: accountsYaml() });
  const { client, close } = await ownNamespace(folder);
  onTestFinished(close);
  const { state, target } = deps;
  const run = async (runId: string, how: Partial<Parameters<typeof state.openRun>[0]>) => {
    const ids = { runId, workflowId: runId, firstRunId: runId, temporalId: "t", configHash: "c" };
    const of = { sync: "accounts", target, kind: "sync", request: {} } as const;
    await state.openRun({ ...ids, ...of, startedAt: "2026-01-01T00:00:00.000Z", ...how });
  };
  await run("by-schedule", { nominalAt: "2026-01-01T00:00:00.000Z" });
  await run("of-a-person", {});
  await run("of-doubts", { kind: "resend" });
  for (const runId of ["away-1", "away-2", "away-3"]) await run(runId, { target: "elsewhere" });
  const wanted: Wanted = {
    name: "accounts",
    schedule: { cron: "30 2 * * *", timeZone: "UTC" },
    workflow: "sync",
    input: { sync: "accounts" },
  };
  const text = listText(
    await listedSchedules({ client, owner, state, target }, [wanted], new Date()),
  );
  expect(text.split("\n").filter((line) => line.startsWith("    run "))).toEqual([
    "    run       of-doubts  running",
    "    run       of-a-person  running, by hand",
    "    run       by-schedule  running",
  ]);
});
