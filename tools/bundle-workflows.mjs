// build/workflows/index.js and all its imports -> dist/workflow-bundle.js, which the worker loads. The build's
// last step: the file marks dist/ as complete.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";

import { bundleWorkflowCode } from "@temporalio/worker";
import { minifySync } from "rolldown/utils";
import { SourceMapConsumer, SourceMapGenerator } from "source-map";

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

/**
 * The first position of each line of a map: a stack trace shows only the line. Files are named by their paths in the
 * project, wherever it was built.
 */
async function linesOf(map) {
  const lines = new SourceMapGenerator({ file: map.file });
  let last = 0;
  await SourceMapConsumer.with(map, null, (places) => {
    places.eachMapping(
      ({ source, generatedLine, generatedColumn, originalLine, originalColumn }) => {
        if (source === null || generatedLine === last) return;
        last = generatedLine;
        const generated = { line: generatedLine, column: generatedColumn };
        lines.addMapping({
          source: isAbsolute(source) ? relative(root, source) : source,
          generated,
          original: { line: originalLine, column: originalColumn },
        });
      },
    );
  });
  return lines.toString();
}

/**
 * Drops the comments, half of the bundle, and makes it ASCII: V8 keeps the source of running code, in two bytes a
 * character if any character needs them. The map gives only the origin of each line: the sources themselves doubled
 * what a worker reads at its start, and the position of each word took 7 MB of its memory.
 */
async function shrink(code) {
  const [url, inMap] = ["\n//# sourceMappingURL=data:application/json;base64,", "base64,"];
  const at = code.lastIndexOf("//# sourceMappingURL=");
  const text = code.slice(code.indexOf(inMap, at) + inMap.length);
  const inputMap = JSON.parse(Buffer.from(text, "base64").toString());
  const codegen = { removeWhitespace: false, asciiOnly: true };
  const how = { compress: false, mangle: false, codegen, sourcemap: true, inputMap };
  const { code: rest, map, errors } = minifySync(inputMap.file, code.slice(0, at), how);
  if (errors.length > 0) throw new Stop(`the workflow bundle: ${errors[0].message}`);
  const places = await linesOf({ ...map, file: inputMap.file });
  return rest + url + Buffer.from(places).toString("base64");
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
  writeFileSync(`${bundleFile}.new`, await shrink(code));
  // Nothing reads build/ any more, and leftovers of a deleted source would go into the next dist.
  rmSync(join(root, "build"), { recursive: true });
  renameSync(`${bundleFile}.new`, bundleFile);
  return 0;
});
