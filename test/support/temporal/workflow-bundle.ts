import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { bundleWorkflowCode, type WorkflowBundlePath } from "@temporalio/worker";

import { exclusively } from "../../../src/local/exclusively.ts";
import { silent } from "./quiet-runtime.ts";
import { workflowBundleVariable } from "./shared-temporal.ts";

const workflowsPath = fileURLToPath(new URL("../../../workflows/index.ts", import.meta.url));
const inputs = fileURLToPath(new URL("../../../workflows/unreadable-input.ts", import.meta.url));

/**
 * The workflows as a worker loads them, bundled from source once for each run of vitest: bundling takes 3 s of
 * processor time.
 * @throws {Error} a workflow imports a module that it must not use.
 */
export async function workflowBundle(): Promise<WorkflowBundlePath> {
  const codePath = process.env[workflowBundleVariable];
  if (codePath === undefined)
    throw new Error(`vitest's global setup sets ${workflowBundleVariable}`);
  await exclusively(`${codePath}.lock`, async () => {
    if (existsSync(codePath)) return;
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      payloadConverterPath: inputs,
      workflowInterceptorModules: [inputs],
      logger: silent,
    });
    await writeFile(codePath, code);
  });
  return { codePath };
}
