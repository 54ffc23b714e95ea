import { describe, expect, it } from "vitest";

import { nameOfSchedule, scheduleId, sweepScheduleId } from "../../../src/schedules/ids.ts";

describe("nameOfSchedule", () => {
  it.each([
    ["sluice", "accounts"],
    ["sluice-a", "b-c"],
    ["crm.eu", "job_postings-2"],
  ])("reads back the name on %s", (taskQueue, name) => {
    expect(nameOfSchedule(taskQueue, scheduleId(taskQueue, name))).toBe(name);
  });

  it.each([
    ["a longer task queue", "sluice", scheduleId("sluice-a", "accounts")],
    ["a queue that goes on with a dot", "crm", scheduleId("crm.eu", "accounts")],
    ["a program of another kind", "sluice", "nightly-report"],
    ["no name", "sluice", scheduleId("sluice", "")],
    ["the sweep of inboxes", "sluice", sweepScheduleId("sluice")],
    ["a queue called as the sweep is", "sluice", sweepScheduleId("sluice._inbox")],
  ])("takes nothing of %s", (_, taskQueue, id) => {
    expect(nameOfSchedule(taskQueue, id)).toBeUndefined();
  });
});
