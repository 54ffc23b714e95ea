// Records the histories of this folder, or those of the named scenarios: see README.md.
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";

import type { WorkflowHandle } from "@temporalio/client";

import { openSqliteInbox } from "../../src/inbox/sqlite/open.ts";
import { inboxCheckScheduleId } from "../../src/schedules/ids.ts";
import { drainId, wakeDrain } from "../../src/webhooks/drain.ts";
import type { backfill } from "../../workflows/backfill/backfill.ts";
import type { Progress } from "../../workflows/sync/progress.ts";
import { until } from "../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../support/project/project.ts";
import { numbers } from "../support/sequences.ts";
import { eventIds, formsConfig, submission } from "../support/webhooks/webhooks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const asked = process.argv.slice(2);
const atEnd: (() => Promise<void>)[] = [];
const refused = [{ loc: ["file", 0, "domain"], msg: "wrong", type: "value_error" }];

type Scenario = { readonly sync?: string; readonly advanced?: string; readonly rows: number };
const small = { rows: 20 };
const chunks = { sync: "chunk: { records: 1000 }", rows: 3_000 };

/** A workflow to record; another one may have had its id before, or has it since. */
type Recorded = { readonly workflowId: string; readonly firstExecutionRunId?: string };

/**
 * Makes a project, lets `act` start a workflow and wait for its end, and writes the histories of all its executions.
 */
async function recordProject(
  name: string,
  files: Readonly<Record<string, string>>,
  act: (project: Project) => Promise<Recorded>,
): Promise<void> {
  if (asked.length > 0 && !asked.includes(name)) return;
  const project = await Project.start((work) => atEnd.push(work), files);
  const { workflowId, firstExecutionRunId = "" } = await act(project);
  const histories = await project.histories(workflowId);
  const recorded = histories.filter((history) => history.includes(firstExecutionRunId));
  for (const [index, history] of recorded.entries()) {
    const file = `${name}${index === 0 ? "" : `-${index + 1}`}.json`;
    // Removes where this was recorded: stack traces name files by their path in the repository.
    const text = String(JSON.parse(history))
      .replaceAll(root, "")
      .replaceAll(`${project.folder}/`, "")
      .replaceAll(`@${hostname()}"`, '@host"');
    await writeFile(new URL(file, import.meta.url), `${text}\n`);
    process.stdout.write(`${file}\n`);
  }
  for (const work of atEnd.splice(0).toReversed()) await work();
}

/** Records a sync of a CSV file; `act` runs meanwhile. */
async function record(
  name: string,
  { rows, ...config }: Scenario,
  act: (project: Project) => Promise<void> = async () => undefined,
): Promise<void> {
  const files = { "sluice.yaml": accountsConfig(config), "accounts.csv": accountsCsv(rows) };
  await recordProject(name, files, async (project) => {
    await project.worker();
    const acting = act(project);
    const handle = await project.start({ sync: "accounts" });
    await acting;
    await handle.result().catch(() => undefined);
    return handle;
  });
}

const draining = { connection: "forms", taskQueue: "sluice" };

/** Keeps the events from one number up to, but not including, another, and sends the wake-up. */
async function post(project: Project, from: number, before: number): Promise<void> {
  const inbox = await openSqliteInbox(`${project.folder}/.sluice`);
  const events = numbers(before - from).map((index) => ({ json: submission(from + index) }));
  await inbox.keep({ connection: draining.connection, receivedAt: Date.now(), events });
  await inbox.close();
  await wakeDrain(project.temporal.client, draining);
}

/** Waits until the service holds this many events. */
async function arrived(project: Project, count: number): Promise<void> {
  await until(async () => (await eventIds(project)).size === count);
}

await record("lightweight", small);
await record("heavyweight", chunks);
await record("continued", { ...chunks, advanced: ", chunks_per_run: 2" });
await record("split", { ...small, sync: "mode: heavyweight" }, async ({ sandbox }) =>
  sandbox.order({ step: "confirm-upload", do: { status: 422, body: { detail: refused } } }),
);
await record("refused-key", small, async ({ sandbox }) =>
  sandbox.order({ step: "upload-json", do: { status: 401, body: { message: "no" } } }),
);
const guarded = { sync: "hold_if: { new_above: 5 }", rows: 20 };
await record("held", guarded, async (project) => {
  const handle = project.temporal.client.workflow.getHandle("sync-under-test");
  const hold = await until(
    async () => (await handle.query<Progress>("progress").catch(() => undefined))?.held,
  );
  await handle.executeUpdate("approve", { args: [{ hold: hold.number, digest: hold.digest }] });
});
await record("cancelled", chunks, async (project) => {
  project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
  await until(async () => (await project.ledger()).some(({ step }) => step === "confirm-upload"));
  await project.temporal.client.workflow.getHandle("sync-under-test").cancel();
});

await recordProject("drain", { "sluice.yaml": formsConfig() }, async (project) => {
  await project.worker();
  await post(project, 0, 3);
  const handle = project.temporal.client.workflow.getHandle(drainId(draining));
  await handle.result();
  return handle;
});

// Three chunks of one sync, and another sync whose run fails: continues as new in the middle of the run, then with a
// back-off, and is cancelled in it.
const broken = `  broken:
    from: forms
    stream: contact_event
    send: all
    record: ./map.ts
`;
const longConfig = formsConfig()
  .replace("send: all", "send: all\n    chunk: { records: 1000 }")
  .replace("advanced: {", `${broken}advanced: { chunks_per_run: 2,`);
const longFiles = { "sluice.yaml": longConfig, "map.ts": "export const mapRecord = () => null;\n" };
await recordProject("drain-continued", longFiles, async (project) => {
  await project.worker();
  await project.write("map.ts", "export const mapRecord = 7;\n");
  await post(project, 0, 3_000);
  await arrived(project, 3_000);
  const handle = project.temporal.client.workflow.getHandle(drainId(draining));
  const rests = async (): Promise<boolean> => {
    const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw;
    const isQuiet = (pendingActivities ?? []).length === 0 && !pendingWorkflowTask;
    return isQuiet && (await project.histories(handle.workflowId)).length > 2;
  };
  await until(rests);
  await post(project, 3_000, 3_001);
  await arrived(project, 3_001);
  await until(rests);
  await handle.cancel();
  await handle.result().catch(() => undefined);
  return handle;
});

await recordProject("inbox-check", { "sluice.yaml": formsConfig() }, async (project) => {
  await project.worker();
  const { client } = project.temporal;
  await client.schedule.getHandle(inboxCheckScheduleId(draining.taskQueue)).trigger();
  return await until(async () => {
    const query = 'WorkflowType="inboxCheck" and ExecutionStatus="Completed"';
    for await (const { workflowId } of client.workflow.list({ query })) return { workflowId };
    return undefined;
  });
});

const verified = 'verify: { schedule: { at: "04:00", time_zone: UTC } }';
const verifiedFiles = {
  "sluice.yaml": accountsConfig({ sync: verified }),
  "accounts.csv": accountsCsv(3),
};
await recordProject("verify", verifiedFiles, async (project) => {
  await project.worker();
  const { workflow } = project.temporal.client;
  await (await project.start({ sync: "accounts" })).result();
  const input = { taskQueue: "sluice", workflowId: "verify-accounts" };
  const handle = await workflow.start("verify", { ...input, args: [{ sync: "accounts" }] });
  await handle.result();
  return handle;
});

type Backfill = WorkflowHandle<typeof backfill>;

/** Two lanes of three chunks, whose plan waits for approval. */
const lanes = { sync: "chunk: { records: 2000 }\n    approve: { auto_up_to: 0 }", rows: 11_000 };

/** Records a backfill of a CSV file; `act` runs from its start on. */
async function recordBackfill(
  name: string,
  { rows, input, ...config }: Scenario & { readonly input?: object },
  act: (handle: Backfill, project: Project) => Promise<void> = async () => undefined,
): Promise<void> {
  const files = { "sluice.yaml": accountsConfig(config), "accounts.csv": accountsCsv(rows) };
  await recordProject(name, files, async (project) => {
    await project.worker();
    const { workflow } = project.temporal.client;
    const handle = await workflow.start<typeof backfill>("backfill", {
      taskQueue: "sluice",
      workflowId: "backfill-accounts",
      args: [input ?? { sync: "accounts", lanes: 2, send: "all" }],
    });
    await act(handle, project);
    await handle.result().catch(() => undefined);
    return handle;
  });
}

/** Waits until a backfill reports this progress. */
async function says(handle: Backfill, it: (progress: Progress) => boolean): Promise<void> {
  await until(async () => it(await handle.query<Progress>("progress")));
}

/** Decides on a plan once it is there. */
async function decide(handle: Backfill, decision: "approve" | "discard"): Promise<void> {
  await says(handle, ({ needs_approval: waits }) => waits === true);
  await handle.executeUpdate(decision);
}

await recordBackfill("backfill-approved", lanes, async (handle) => {
  await decide(handle, "approve");
});
await recordBackfill("backfill-discarded", lanes, async (handle) => {
  await decide(handle, "discard");
});
await recordBackfill("backfill-refused", { ...small, input: { sync: "acounts", lane: 4 } });

// Requests take so long that the backfill can be paused, or asked for the lock, in the middle.
const slowly = { delayMs: 5_000 };

// It is due to continue as new after the third chunk, before which it is paused: it rests, and is resumed, in the
// second execution.
const paused = { ...lanes, advanced: ", chunks_per_run: 3" };
await recordBackfill("backfill-paused", paused, async (handle, { sandbox }) => {
  sandbox.order({ step: "put", after: 1, times: 3, do: slowly });
  const { runId: first } = await handle.describe();
  await decide(handle, "approve");
  await says(handle, ({ counts }) => counts.staged_chunks >= 3);
  await handle.executeUpdate("pause");
  await until(async () => (await handle.describe()).runId !== first);
  await handle.executeUpdate("resume");
});
await recordBackfill("backfill-yields", lanes, async (handle, project) => {
  project.sandbox.order({ step: "put", after: 1, times: 3, do: slowly });
  await decide(handle, "approve");
  await says(handle, ({ counts }) => counts.committed_chunks > 0);
  const night = await project.start({ sync: "accounts" }, "night");
  await night.result();
});
