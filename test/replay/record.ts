// Records the histories of this folder: see README.md.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { until } from "../support/process.ts";
import { accountsConfig, accountsCsv, Project } from "../support/project.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const atEnd: (() => Promise<void>)[] = [];
const refused = [{ loc: ["file", 2, "domain"], msg: "wrong", type: "value_error" }];

type Scenario = { readonly sync?: string; readonly advanced?: string; readonly rows: number };
const small = { rows: 20 };
const chunks = { sync: "chunk: { records: 1000 }", rows: 3_000 };

async function record(
  name: string,
  { rows, ...config }: Scenario,
  act: (project: Project) => Promise<void> = async () => undefined,
): Promise<void> {
  const project = await Project.start((work) => atEnd.push(work), {
    "sluice.yaml": accountsConfig(config),
    "accounts.csv": accountsCsv(rows),
  });
  await project.worker();
  const acting = act(project);
  const handle = await project.start({ sync: "accounts" });
  await acting;
  await handle.result().catch(() => undefined);
  for (const [index, history] of (await project.histories(handle.workflowId)).entries()) {
    const file = `${name}${index === 0 ? "" : `-${index + 1}`}.json`;
    // Where this was recorded is nobody's business: stack traces name files by their place in the repository.
    const text = String(JSON.parse(history)).replaceAll(root, "");
    await writeFile(new URL(file, import.meta.url), `${text}\n`);
    process.stdout.write(`${file}\n`);
  }
  for (const work of atEnd.splice(0).toReversed()) await work();
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
