import { expect, it, onTestFinished } from "vitest";

import { Secret } from "../../../src/security/secret.ts";
import { openPostgresStore } from "../../../src/state/postgres/open.ts";
import { storeSteps } from "../../../src/state/postgres/schema.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

it("`store` keeps the state in Postgres: a sync sends what has changed", async () => {
  const { url } = await postgres();
  const yaml = accountsConfig().replace(
    "connections:",
    'store: { url: "${STORE_URL}", project: p }\nconnections:',
  );
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": yaml,
    "accounts.csv": accountsCsv(50),
  });
  Object.assign(project.env, { STORE_URL: url });
  const early = await project.sluice("run", "accounts");
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("sluice store migrate")]);
  const shown = await project.sluice("store", "migrate", "--ddl");
  expect(shown.stdout).toContain('create schema "sluice";');
  expect((await project.sluice("store", "migrate")).stdout).toBe(
    `version 0 → ${storeSteps.length}\n`,
  );
  expect((await project.sluice("store", "migrate")).stdout).toBe(
    `nothing to do: version ${storeSteps.length}\n`,
  );

  await project.worker();
  const run = async (): Promise<unknown> => {
    const { code, stdout, stderr } = await project.sluice("run", "accounts", "--json");
    expect([code, stderr.includes("rror")]).toEqual([0, false]);
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  };
  expect(await run()).toMatchObject({ outcome: "done", counts: { read: 50, sent: 50 } });
  expect((await project.records()).size).toBe(50);
  const planned = await project.sluice("plan", "accounts");
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining("unchanged 50")]);
  await project.write("accounts.csv", accountsCsv(51));
  const edited = await project.sluice("plan", "accounts", "--json");
  expect([edited.code, JSON.parse(edited.stdout)]).toMatchObject([
    5,
    { mapping: { state: "same" }, counts: { read: 51, would_send: 1 }, changes: { new: 1 } },
  ]);
  expect(await run()).toMatchObject({ outcome: "done", counts: { read: 51, sent: 1 } });
  expect((await project.records()).size).toBe(51);

  const store = await openPostgresStore({ url: new Secret(url), schema: "sluice" });
  onTestFinished(async () => await store.close());
  expect(await store.runs({ limit: 5 })).toHaveLength(2);
  const { stdout } = await project.sluice("store", "show");
  expect(stdout).toContain(store.storeId);
  expect(stdout).not.toContain(url);
  // Another project with the same URL is refused, and cannot take the store from one with a live worker.
  await project.write("sluice.yaml", yaml.replace("project: p", "project: q"));
  const other = await project.sluice("status");
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("store rename --from p")]);
  const renamed = await project.sluice("store", "rename", "--from", "p");
  expect(renamed.stderr).toContain("works with the state store in");
  await project.write("sluice.yaml", yaml);
  // A run at another Temporal: nothing here receives a cancel in its place.
  const opening = { temporalId: "t", configHash: "c", request: {}, startedAt: "2026-01-01" };
  const elsewhere = { id: "t", at: "elsewhere:7233", namespace: "default" };
  await store.bindTemporal({ temporal: elsewhere, isRebound: true });
  const far = { runId: "b", workflowId: "backfill-b", firstRunId: "f", kind: "backfill" } as const;
  await store.openRun({ ...far, target: "sandbox", sync: "accounts", ...opening });
  for (const asked of [
    ["pause", "b"],
    ["cancel", "sync-accounts"],
  ]) {
    const { code: ended, stderr } = await project.sluice(...asked);
    expect([ended, stderr]).toEqual([
      2,
      expect.stringContaining("is used with Temporal at elsewhere:7233"),
    ]);
  }
  const doctor = await project.sluice("doctor");
  expect([doctor.code, doctor.stdout]).toEqual([
    1,
    expect.stringMatching(/Temporal of the store: .*elsewhere:7233.*\n.*TEMPORAL_ADDRESS/),
  ]);
  const { stdout: status } = await project.sluice("status");
  expect(status).toMatch(/is used with Temporal at elsewhere:7233.* → .*store rebind/);
  // A folder with earlier runs is not left behind silently.
  const names = { workflowId: "w", firstRunId: "f", kind: "sync" } as const;
  await project.state.openRun({ runId: "r", target: "t", sync: "s", ...names, ...opening });
  const refused = await project.sluice("runs", "list");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("store copy")]);
}, 300_000);
