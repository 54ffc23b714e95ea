import { expect, it, onTestFinished } from "vitest";

import { scheduledNames } from "../../../src/schedules/plan.ts";
import { accountsConfig, Project } from "../../support/project/project.ts";

function config(at: string): string {
  return accountsConfig({ sync: `schedule: { at: "${at}", time_zone: UTC }` });
}

it("`sluice schedule apply` shows what it would change, changes it when told to, and then nothing", async () => {
  const project = await Project.start(onTestFinished, { "sluice.yaml": config("02:30") });
  const apply = ["schedule", "apply"];
  const refused = await project.sluice(...apply);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("--yes");
  expect(refused.stdout).toMatch(
    /create {2}accounts: At 02:30, every day \(UTC\)\n {4}next {6}(?:\d{4}-\d\d-\d\d 02:30 \+00:00(?:, )?){5}\n/,
  );
  expect(await scheduledNames(project.temporal.client, "sluice")).toEqual([]);

  expect((await project.sluice(...apply, "--yes")).code).toBe(0);
  const again = await project.sluice(...apply);
  expect([again.code, again.stdout]).toEqual([
    0,
    "nothing to change: 1 schedule is as in sluice.yaml\n",
  ]);

  await project.write("sluice.yaml", config("04:00"));
  const moved = await project.sluice(...apply, "--yes");
  expect(moved.stdout).toContain("change    times 30 2 * * * → 0 4 * * *");

  const onAnotherQueue = `${config("04:00")}temporal: { task_queue: night }\n`;
  await project.write("sluice.yaml", onAnotherQueue);
  const left = await project.sluice(...apply, "--yes");
  expect(left.stdout).toContain("left    sluice-sluice.accounts: this project made it on another");
});
