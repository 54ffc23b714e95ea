// build/workflows/index.js and all it imports -> dist/workflow-bundle.js, which the worker loads. The build's
// last step: the file says that dist/ is whole.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { bundleWorkflowCode } from "@temporalio/worker";

import { main, Stop } from "./child.mjs";
import { root } from "./set-up.mjs";

const bundleFile = join(root, "dist", "workflow-bundle.js");
const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const problems = [];

/** Temporal's bundler only prints webpack's findings: a warning can mean a workflow that will not load. */
const collectProblems = {
  apply(compiler) {
    compiler.hooks.done.tap("collect-problems", ({ compilation }) => {
      problems.push(...[...compilation.errors, ...compilation.warnings].map((one) => one.message));
    });
  },
};

/** Its map says where a line of it comes from; the sources themselves doubled what a worker reads at its start. */
function withoutSources(code) {
  const at = code.lastIndexOf("base64,") + "base64,".length;
  const map = JSON.parse(Buffer.from(code.slice(at), "base64").toString());
  delete map.sourcesContent;
  return code.slice(0, at) + Buffer.from(JSON.stringify(map)).toString("base64");
}

await main(async () => {
  const inputs = join(root, "build", "workflows", "unreadable-input.js");
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, "build", "workflows", "index.js"),
    payloadConverterPath: inputs,
    workflowInterceptorModules: [inputs],
    logger: silent,
    webpackConfigHook: (config) => ({
      ...config,
      plugins: [...(config.plugins ?? []), collectProblems],
    }),
  }).catch((error) => {
    throw new Stop([error.message, ...problems].join("\n"));
  });
  if (problems.length > 0) throw new Stop(`the workflow bundle:\n${problems.join("\n")}`);
  writeFileSync(`${bundleFile}.new`, withoutSources(code));
  // Nothing reads it any more, and what a deleted source left there would go into the next dist.
  rmSync(join(root, "build"), { recursive: true });
  renameSync(`${bundleFile}.new`, bundleFile);
  return 0;
});
