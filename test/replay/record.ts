// Records the histories of this folder, or those of the scenarios that are named: see README.md.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { openInbox } from "../../src/inbox/open.ts";
import { sweepScheduleId } from "../../src/schedules/ids.ts";
import { drainId, ringDrain } from "../../src/webhooks/drain.ts";
import { until } from "../support/process.ts";
import { accountsConfig, accountsCsv, Project } from "../support/project.ts";
import { numbers } from "../support/sequences.ts";
import { eventIds, formsConfig, submission } from "../support/webhooks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const asked = process.argv.slice(2);
const atEnd: (() => Promise<void>)[] = [];
const refused = [{ loc: ["file", 2, "domain"], msg: "wrong", type: "value_error" }];

type Scenario = { readonly sync?: string; readonly advanced?: string; readonly rows: number };
const small = { rows: 20 };
const chunks = { sync: "chunk: { records: 1000 }", rows: 3_000 };

/** Makes a project, has `act` start a workflow and wait for its end, and writes the histories of every execution of it. */
async function recordProject(
  name: string,
  files: Readonly<Record<string, string>>,
  act: (project: Project) => Promise<string>,
): Promise<void> {
  if (asked.length > 0 && !asked.includes(name)) return;
  const project = await Project.start((work) => atEnd.push(work), files);
  const workflowId = await act(project);
  for (const [index, history] of (await project.histories(workflowId)).entries()) {
    const file = `${name}${index === 0 ? "" : `-${index + 1}`}.json`;
    // Where this was recorded is nobody's business: stack traces name files by their place in the repository.
    const text = String(JSON.parse(history))
      .replaceAll(root, "")
      .replaceAll(`${project.folder}/`, "");
    await writeFile(new URL(file, import.meta.url), `${text}\n`);
    process.stdout.write(`${file}\n`);
  }
  for (const work of atEnd.splice(0).toReversed()) await work();
}

/** Records a sync of a CSV file; `act` is done while it runs. */
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
    return handle.workflowId;
  });
}

const draining = { connection: "forms", taskQueue: "sluice" };

/** Keeps the events from one number up to before another, and rings. */
async function post(project: Project, from: number, before: number): Promise<void> {
  const inbox = await openInbox(`${project.folder}/.sluice`);
  const events = numbers(before - from).map((index) => ({ json: submission(from + index) }));
  await inbox.keep({ connection: draining.connection, receivedAt: Date.now(), events });
  await inbox.close();
  await ringDrain(project.temporal.client, draining);
}

/** Waits until the service holds so many events. */
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
await record("cancelled", chunks, async (project) => {
  project.sandbox.order({ step: "put", after: 1, do: { delayMs: 60_000 } });
  await until(async () => (await project.ledger()).some(({ step }) => step === "confirm-upload"));
  await project.temporal.client.workflow.getHandle("sync-under-test").cancel();
});

await recordProject("drain", { "sluice.yaml": formsConfig() }, async (project) => {
  await project.worker();
  await post(project, 0, 3);
  await project.temporal.client.workflow.getHandle(drainId(draining)).result();
  return drainId(draining);
});

// Three chunks of one sync, and another whose run fails: continues as new amid the run, then with a rest, and is cancelled in it.
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
  return handle.workflowId;
});

await recordProject("sweep", { "sluice.yaml": formsConfig() }, async (project) => {
  await project.worker();
  const { client } = project.temporal;
  await client.schedule.getHandle(sweepScheduleId(draining.taskQueue)).trigger();
  return await until(async () => {
    const query = 'WorkflowType="inboxSweep" and ExecutionStatus="Completed"';
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return undefined;
  });
});
