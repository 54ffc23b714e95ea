import { describe, expect, it } from "vitest";

import {
  nameOfSchedule,
  queueOfSchedule,
  scheduleId,
  inboxCheckScheduleId,
} from "../../../src/schedules/ids.ts";

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
    ["a queue that continues with a dot", "crm", scheduleId("crm.eu", "accounts")],
    ["a program of another kind", "sluice", "nightly-report"],
    ["no name", "sluice", scheduleId("sluice", "")],
    ["the check of inboxes", "sluice", inboxCheckScheduleId("sluice")],
    ["a queue called as the check is", "sluice", inboxCheckScheduleId("sluice._inbox")],
  ])("takes nothing of %s", (_, taskQueue, id) => {
    expect(nameOfSchedule(taskQueue, id)).toBeUndefined();
  });
});

describe("queueOfSchedule", () => {
  it.each([
    ["its own", scheduleId("crm.eu", "accounts"), "crm.eu"],
    ["a longer name", scheduleId("crm", "old_accounts"), undefined],
    ["a program of another kind", "nightly.accounts", undefined],
  ])("of %s", (_, id, taskQueue) => {
    expect(queueOfSchedule("accounts", id)).toBe(taskQueue);
  });
});
