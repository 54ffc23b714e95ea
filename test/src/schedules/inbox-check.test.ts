import { ScheduleOverlapPolicy, type Client } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { inboxCheckScheduleId } from "../../../src/schedules/ids.ts";
import { scheduleInboxCheck } from "../../../src/schedules/inbox-check.ts";
import { planSchedules, scheduledNames } from "../../../src/schedules/plan.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownServer } from "../../support/temporal/own-namespace.ts";

const owner = { taskQueue: "sluice", storeId: "store-1" };

async function temporalClient(): Promise<Client> {
  const { client, close } = await ownServer(await temporaryFolder());
  onTestFinished(close);
  return client;
}

describe("scheduleInboxCheck", () => {
  it("checks at once and every minute, and again when it is asked again, unless a person paused it", async () => {
    const client = await temporalClient();
    const handle = client.schedule.getHandle(inboxCheckScheduleId("sluice"));
    const checks = async (): Promise<number> => (await handle.describe()).info.numActionsTaken;
    await scheduleInboxCheck(client, owner);
    await until(async () => (await checks()) === 1);
    expect(await handle.describe()).toMatchObject({
      spec: { intervals: [{ every: 60_000 }] },
      action: { workflowType: "inboxCheck", taskQueue: "sluice", args: [] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 60_000 },
    });
    const workflowId = (await handle.describe()).info.recentActions[0]?.action.workflow.workflowId;
    await client.workflow.getHandle(workflowId ?? "").terminate();
    await handle.pause("a person's reason");
    await scheduleInboxCheck(client, owner);
    await until(async () => (await checks()) === 2);
    expect((await handle.describe()).state).toMatchObject({
      paused: true,
      note: "a person's reason",
    });
  }, 120_000);

  it("checks on though somebody limited by hand how many checks may still begin", async () => {
    const client = await temporalClient();
    await scheduleInboxCheck(client, owner);
    const handle = client.schedule.getHandle(inboxCheckScheduleId("sluice"));
    await handle.update(({ state, ...schedule }) => ({
      ...schedule,
      state: { ...state, remainingActions: 1 },
    }));
    expect((await handle.describe()).state.remainingActions).toBe(1);
    await scheduleInboxCheck(client, owner);
    expect((await handle.describe()).state.remainingActions).toBeUndefined();
  }, 120_000);

  it("is not one of the schedules that a file has, or has not any more", async () => {
    const client = await temporalClient();
    await scheduleInboxCheck(client, owner);
    await until(async () => {
      const ids: string[] = [];
      for await (const { scheduleId } of client.schedule.list()) ids.push(scheduleId);
      return ids.includes(inboxCheckScheduleId("sluice"));
    });
    expect(await scheduledNames(client, "sluice")).toEqual([]);
    expect(await planSchedules(client, [], owner)).toEqual({
      changes: [],
      same: [],
      foreign: [],
      elsewhere: [],
    });
  }, 120_000);
});
