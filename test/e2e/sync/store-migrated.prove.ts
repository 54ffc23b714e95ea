import { expect, it, onTestFinished } from "vitest";

import { postgres } from "../../support/postgres/postgres.ts";
import { watch } from "../../support/process/process.ts";
import { accountsConfig, Project } from "../../support/project/project.ts";

it("a worker whose store was migrated while nobody heard of it ends, and says which side to upgrade", async () => {
  const { url, query } = await postgres();
  const yaml = accountsConfig().replace(
    "connections:",
    'store: { url: "${STORE_URL}", project: p }\nconnections:',
  );
  const project = await Project.start(onTestFinished, { "sluice.yaml": yaml });
  Object.assign(project.env, { STORE_URL: url });
  expect((await project.sluice("store", "migrate")).code).toBe(0);
  const worker = await project.worker();
  const { ended } = watch(worker);
  // Stopped for longer than a migration waits for it, like a machine that was asleep.
  worker.kill("SIGSTOP");
  await query("update sluice.meta set value = '99' where name = 'schema_version'");
  worker.kill("SIGCONT");
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining("has schema version 99")]);
  expect(stderr).toContain("upgrade sluice here");
}, 300_000);
