import { describe, expect, it } from "vitest";

import { nameOfSchedule, scheduleId } from "../../../src/schedules/ids.ts";
import { wantedSchedules } from "../../../src/schedules/wanted.ts";

const schedule = { cron: "0 4 * * *", timeZone: "UTC" };

describe("wantedSchedules", () => {
  it("runs each sync and pull by its workflow", () => {
    const sync = { name: "accounts", schedule };
    const pulls = [
      { name: "scores", schedule, of: "accounts" },
      { name: "hiring", schedule, of: "job_postings" },
    ] as const;
    const wanted = wantedSchedules({
      syncs: new Map([["accounts", sync]]),
      pulls: new Map(pulls.map((pull) => [pull.name, pull] as const)),
    });
    expect(wanted).toEqual([
      { name: "accounts", schedule, workflow: "sync", input: { sync: "accounts" } },
      { name: "scores", schedule, workflow: "searchPull", input: { pull: "scores" } },
      { name: "hiring", schedule, workflow: "jobPostingsPull", input: { pull: "hiring" } },
    ]);
  });

  it("verifies a sync by a schedule of its own, which Temporal knows by another name", () => {
    const sync = { name: "accounts", schedule: undefined, verify: { schedule } };
    const [wanted, ...more] = wantedSchedules({
      syncs: new Map([["accounts", sync]]),
      pulls: new Map(),
    });
    const name = "accounts/verify";
    expect(wanted).toEqual({ name, schedule, workflow: "verify", input: { sync: "accounts" } });
    expect(more).toEqual([]);
    expect(nameOfSchedule("q", scheduleId("q", name))).toBe(name);
    expect(nameOfSchedule("q", scheduleId("q", "accounts/other"))).toBeUndefined();
  });

  it("leaves out what has no schedule", () => {
    const syncs = new Map([["accounts", { name: "accounts", schedule: undefined }]]);
    const pulls = new Map([
      ["people", { name: "people", schedule: undefined, of: "persons" } as const],
    ]);
    expect(wantedSchedules({ syncs, pulls })).toEqual([]);
  });
});
