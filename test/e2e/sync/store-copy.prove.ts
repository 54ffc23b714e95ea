import { expect, it, onTestFinished } from "vitest";

import { postgres } from "../../support/postgres/postgres.ts";
import { end } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

it("`store copy` moves a project to Postgres: what was sent is not sent again", async () => {
  const { url } = await postgres();
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": accountsConfig(),
    "accounts.csv": accountsCsv(50),
  });
  // Temporal lists a worker for a minute after it has stopped, and a queue has workers of only one store.
  const withStore = `${accountsConfig()}temporal: { task_queue: there }\nstore: { url: "\${STORE_URL}", project: p }\n`;
  Object.assign(project.env, { STORE_URL: url });
  const sentBy = async (): Promise<unknown> => {
    const worker = await project.worker();
    const { code, stdout } = await project.sluice("run", "accounts", "--json");
    expect(code).toBe(0);
    await end(worker, "SIGTERM");
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  };
  expect(await sentBy()).toMatchObject({ counts: { read: 50, sent: 50 } });
  await project.write("sluice.yaml", withStore);
  expect((await project.sluice("status")).stderr).toContain("store copy --to postgres");
  const there = await project.sluice("store", "copy", "--to", "postgres");
  expect([there.code, there.stdout]).toEqual([0, expect.stringContaining("counted on both sides")]);
  expect(there.stdout).not.toContain(url);
  await project.write("accounts.csv", accountsCsv(51));
  expect(await sentBy()).toMatchObject({ counts: { read: 51, sent: 1 } });

  await project.write("sluice.yaml", accountsConfig());
  const moved = await project.sluice("status");
  expect([moved.code, moved.stderr]).toEqual([2, expect.stringContaining("was moved")]);
}, 300_000);
