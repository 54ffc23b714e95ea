import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, it, onTestFinished } from "vitest";

import { end, until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const rows = 10;
const timeoutMs = 240_000;

/** A project whose sync is held by every night with a change, and which has sent its rows. */
async function nightly(): Promise<Project> {
  // The jitter matters: only triggered runs begin.
  const at = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16);
  const sync = `schedule: { at: "${at}", time_zone: UTC }\n    hold_if: { changed_above: 0 }`;
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": accountsConfig({ sync }),
    "accounts.csv": accountsCsv(rows),
  });
  await project.worker();
  await project.sluice("schedule", "apply", "--yes");
  expect((await project.sluice("run", "accounts")).code).toBe(0);
  await project.write(
    "accounts.csv",
    accountsCsv(rows, (row) => `Renamed ${row}`),
  );
  return project;
}

/** Copies the store as a backup does; `edit` makes the copy older. */
async function backUp({ folder }: Project, edit = ""): Promise<string> {
  const copy = join(folder, "backup.db");
  const store = new DatabaseSync(join(folder, ".sluice/state.db"));
  store.exec(`vacuum into '${copy}'`);
  store.close();
  const copied = new DatabaseSync(copy);
  copied.exec(edit);
  copied.close();
  return await Promise.resolve(copy);
}

/** Restores a backup as docs/operations.md describes, with the workers stopped. */
async function restore(project: Project, copy: string): Promise<void> {
  for (const worker of project.workers) await end(worker, "SIGTERM");
  const state = join(project.folder, ".sluice/state.db");
  for (const tail of ["", "-wal", "-shm"]) await rm(`${state}${tail}`, { force: true });
  await copyFile(copy, state);
  await project.worker();
}

/** Makes the schedule start a night. Returns its workflow's id, or nothing if it starts none. */
async function night(project: Project): Promise<string> {
  const { stdout, stderr } = await project.sluice("schedule", "trigger", "accounts");
  expect(stderr).toBe("");
  return stdout.trim();
}

async function heldNight(project: Project): Promise<{ workflowId: string; runId: string }> {
  const workflowId = await night(project);
  await until(async () => (await project.report()).outcome === "held");
  const { run_id: runId, workflow_id: of } = await project.report();
  expect(of).toBe(workflowId);
  return { workflowId, runId };
}

async function isOpen({ temporal }: Project, workflowId: string): Promise<boolean> {
  return (
    (await temporal.client.workflow.getHandle(workflowId).describe()).status.name === "RUNNING"
  );
}

it(
  "a run that was held when an older store was restored ends with nothing sent, and the next night begins",
  async () => {
    const project = await nightly();
    const copy = await backUp(project);
    const before = await project.records();
    const { workflowId, runId } = await heldNight(project);
    await restore(project, copy);
    await until(async () => !(await isOpen(project, workflowId)));
    const ended = project.temporal.client.workflow.getHandle(workflowId).result();
    await expect(ended).rejects.toMatchObject({
      cause: { message: expect.stringContaining("is not in the state store") as unknown },
    });
    const next = await heldNight(project);
    expect(next.workflowId).not.toBe(workflowId);
    expect(await project.records()).toEqual(before);
    expect((await project.sluice("approve", runId)).stderr).toContain(`there is no run "${runId}"`);
    expect((await project.sluice("approve", next.runId)).code).toBe(0);
    expect((await project.records()).get("a0")).toContain("Renamed 0");
  },
  timeoutMs,
);

it(
  "a run that the restored store knows, and not that it was held, ends too, and gives its lock back",
  async () => {
    const project = await nightly();
    const { workflowId, runId } = await heldNight(project);
    await restore(project, await backUp(project, "update runs set hold = null"));
    await until(async () => !(await isOpen(project, workflowId)));
    const { stdout } = await project.sluice("runs", "show", runId);
    expect(stdout).toContain("accounts: discarded");
    expect((await heldNight(project)).runId).not.toBe(runId);
  },
  timeoutMs,
);

it(
  "a run that the restored store knows as held waits on",
  async () => {
    const project = await nightly();
    const { workflowId, runId } = await heldNight(project);
    await restore(project, await backUp(project));
    expect(await isOpen(project, workflowId)).toBe(true);
    expect((await project.sluice("approve", runId)).code).toBe(0);
    expect((await project.records()).get("a0")).toContain("Renamed 0");
  },
  timeoutMs,
);
