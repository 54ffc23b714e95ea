import { describe, expect, it } from "vitest";

import type { ScheduleConfig } from "../../../../src/config/schema/schedule.ts";
import { loadYaml, problemsOf, soundYaml, withMember } from "../support.ts";

async function scheduleOf(written: string): Promise<ScheduleConfig | undefined> {
  const { syncs } = await loadYaml(withMember(`schedule: { ${written}, time_zone: Europe/Paris }`));
  return syncs.get("accounts")?.schedule;
}

async function problemOf(written: string): Promise<string | undefined> {
  const [problem, ...more] = await problemsOf(withMember(`schedule: { ${written} }`));
  expect(more).toEqual([]);
  return problem?.replace(/^11:\d+: /, "");
}

describe("scheduleSchema", () => {
  it.each([
    ['at: "02:30"', "30 2 * * *"],
    ["at: 00:00", "0 0 * * *"],
    ['at: "23:59"', "59 23 * * *"],
    ["cron: 30 2 * * 1-5", "30 2 * * 1-5"],
    ['cron: "  */15   * 1,15 jan-MAR/2 sun,2-7 "', "*/15 * 1,15 jan-MAR/2 sun,2-7"],
    ['cron: "0 0 29 2 *"', "0 0 29 2 *"],
  ])("reads %s as %s", async (written, cron) => {
    expect(await scheduleOf(written)).toEqual({ cron, timeZone: "Europe/Paris" });
  });

  it("leaves a sync without one to those who start it", async () => {
    const { syncs } = await loadYaml(soundYaml);
    expect(syncs.get("accounts")?.schedule).toBeUndefined();
  });

  it("is not a part of the configuration's hash", async () => {
    const scheduled = await loadYaml(withMember('schedule: { at: "02:30", time_zone: UTC }'));
    const { syncs } = await loadYaml(soundYaml);
    const hash = syncs.get("accounts")?.configHash;
    expect(scheduled.syncs.get("accounts")).toMatchObject({ configHash: hash });
  });

  it.each(["24:00", "2:30", "02:60", "02:30:00", "noon"])(
    "refuses the time of day %s",
    async (at) => {
      expect(await problemOf(`at: "${at}", time_zone: UTC`)).toBe(
        'must be a time of day such as "02:30"',
      );
    },
  );

  it.each([
    ["* * * *", "must be five fields"],
    ["0 0 * * * *", "must be five fields"],
    ["@daily", "must be five fields"],
    ["60 * * * *", "its minute must be"],
    ["5/10 * * * *", "its minute must be"],
    ["*/0 * * * *", "its minute must be"],
    ["0 24 * * *", "its hour must be"],
    ["0 5-2 * * *", "its hour must be"],
    ["0 MON * * *", "its hour must be"],
    ["0 0 0 * *", "its day of the month must be"],
    ["0 0 32 * *", "its day of the month must be"],
    ["0 0 L * *", "its day of the month must be"],
    ["0 0 15W * *", "its day of the month must be"],
    ["0 0 ? * *", "its day of the month must be"],
    ["0 0 * 13 *", "its month must be"],
    ["0 0 * JANUARY *", "its month must be"],
    ["0 0 * * 8", "its day of the week must be"],
    ["0 0 * * 5#2", "its day of the week must be"],
    ["0 0 * * FRI-MON", "its day of the week must be"],
    ["0 0 30 2 *", "never comes"],
  ])("refuses the cron %s: %s", async (cron, problem) => {
    expect(await problemOf(`cron: "${cron}", time_zone: UTC`)).toContain(problem);
  });

  it("asks for one of at and cron, and for the zone", async () => {
    expect(await problemOf("time_zone: UTC")).toBe("give at or cron");
    expect(await problemOf('at: "02:30", cron: 0 0 * * *, time_zone: UTC')).toBe(
      "give at or cron, not both",
    );
    expect(await problemOf('at: "02:30"')).toBe('"time_zone" is missing');
    expect(await problemOf('at: "02:30", time_zone: UTC, tz: x')).toBe('unknown member "tz"');
  });

  it.each(["UTC", "Etc/UTC", "US/Pacific", "Asia/Kolkata", "America/Port-au-Prince", "Etc/GMT+2"])(
    "takes the time zone %s",
    async (timeZone) => {
      const yaml = withMember(`schedule: { at: "02:30", time_zone: ${timeZone} }`);
      expect((await loadYaml(yaml)).syncs.get("accounts")?.schedule).toMatchObject({ timeZone });
    },
  );

  it.each([
    ["Europe/Pari", 'did you mean "Europe/Paris"?'],
    ["europe/paris", 'did you mean "Europe/Paris"?'],
    ["us/pacific", "no time zone has this name"],
    ["utc", 'did you mean "UTC"?'],
    ['"+02:00"', "no time zone has this name"],
    ["CEST", "no time zone has this name"],
    ['""', "no time zone has this name"],
  ])("refuses the time zone %s", async (timeZone, problem) => {
    expect(await problemOf(`at: "02:30", time_zone: ${timeZone}`)).toContain(problem);
  });
});
