// build/ (the compiler's output for each file) -> dist/: a few files in place of a thousand, because finding and
// loading that many modules took most of the time of a short command. Shared code is in shared files, so
// that each class exists once.
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { rolldown } from "rolldown";

import { main, mustRun, Stop } from "./child.mjs";
import { root } from "./set-up.mjs";

const build = join(root, "build");
const dist = join(root, "dist");

/** Files that are started, or imported by others, by name. */
const entries = [
  "src/cli/main",
  "src/state/postgres/thread",
  "src/state/sqlite/thread",
  "src/inbox/sqlite/thread",
  "activities/stage/stage-thread",
  "src/sandbox/thread-main",
  "src/cli/connector/child",
  "src/cli/help/write-overview",
  "src/local/download-main",
  "connectors/index",
  "testing/index",
  // Measured by the benchmarks.
  "activities/stage/stage-threads",
  "connectors/registry",
  "src/inbox/sqlite/database",
  "src/limits",
  "src/log",
  "src/security/secret",
  "src/staging/folder",
  "src/state/contract/keys/fingerprints",
  "src/state/contract/keys/known-records",
  "src/state/contract/sends/changes",
  "src/state/text-block",
  "src/state/postgres/migrate",
  "src/state/postgres/open",
  "src/state/sqlite/open",
  "src/webhooks/server",
];

/** Temporal's thread for workflows, where npm put it. */
const workflowThread = "@temporalio/worker/lib/workflow/workflow-worker-thread.js";

/**
 * Packages that stay where npm put them: Temporal's test kit, which finds its own files, and vitest, which runs
 * our tests in its own copy. The bundle holds the only copy of all others: finding the modules of Temporal, gRPC and
 * pino one by one took a fifth of a short command.
 */
const apart = /^(?:node:|@temporalio\/testing$|vitest$)/;

/** A place in dist, as a bundled module finds it. */
const placeInDist = (file) =>
  `require("node:url").fileURLToPath(new URL("__DIST__${file}", __HERE__))`;

/** Files that Temporal's modules look for next to themselves, and where they are for a bundle. */
const moved = {
  "@temporalio/worker/lib/workflow/threaded-vm.js": [
    "require.resolve('./workflow-worker-thread')",
    placeInDist("src/workflow-thread.js"),
  ],
  // Native code stays in its package, which is the worker's dependency and not ours.
  "@temporalio/core-bridge/common.js": [
    "__dirname",
    `require("node:path").dirname(require("node:module").createRequire(require.resolve("@temporalio/worker"))
      .resolve("@temporalio/core-bridge"))`,
  ],
  "source-map/lib/read-wasm.js": ["__dirname", placeInDist("shared")],
};

/**
 * Temporal's messages without those of its cloud, which nobody here sends, and without the methods' options for HTTP
 * gateways: a third of what each process and its workflow thread reads before it does anything.
 */
function withoutCloud(code) {
  const [head, tail] = [".addJSON(", ");"];
  const [start, end] = [
    code.indexOf(head) + head.length,
    code.lastIndexOf(tail, code.lastIndexOf("module.")),
  ];
  const messages = JSON.parse(code.slice(start, end));
  delete messages.temporal.nested.api.nested.cloud;
  const { methods } =
    messages.temporal.nested.api.nested.workflowservice.nested.v1.nested.WorkflowService;
  for (const method of Object.values(methods)) {
    delete method.options;
    delete method.parsedOptions;
  }
  const text = JSON.stringify(JSON.stringify(messages));
  return `${code.slice(0, start)}JSON.parse(${text})${code.slice(end)}`;
}

const temporal = {
  name: "temporal",
  load(id) {
    // The bundler of workflows, which are already bundled: webpack alone takes 50 ms to load.
    if (!id.endsWith("@temporalio/worker/lib/workflow/bundler.js")) return undefined;
    return "exports.defaultWorkflowInterceptorModules = [];";
  },
  transform(code, id) {
    if (id.endsWith("@temporalio/proto/protos/json-module.js")) return withoutCloud(code);
    const file = Object.keys(moved).find((name) => id.endsWith(`node_modules/${name}`));
    if (file === undefined) return undefined;
    const [from, to] = moved[file];
    if (!code.includes(from)) throw new Stop(`${file} has no ${from} any more`);
    return code.replaceAll(from, to);
  },
};

/** Modules find files next to them by `import.meta.url`: keeps its value as it would be without a bundle. */
const ownUrls = {
  name: "own-urls",
  transform(code, id) {
    if (!id.startsWith(build) || !code.includes("import.meta.")) return undefined;
    const file = relative(build, id).split(sep).join("/");
    return code.replaceAll("import.meta.url", `new URL("__DIST__${file}", __HERE__).href`);
  },
  renderChunk(code, { fileName }) {
    const up = "../".repeat(fileName.split("/").length - 1) || "./";
    return code.replaceAll("__DIST__", up).replaceAll("__HERE__", "import.meta.url");
  },
};

await main(async () => {
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    input: {
      ...Object.fromEntries(entries.map((name) => [name, join(build, `${name}.js`)])),
      "src/workflow-thread": join(root, "node_modules", workflowThread),
    },
    platform: "node",
    external: (id) => apart.test(id),
    plugins: [ownUrls, temporal],
  });
  await bundle.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    // Errors cross threads by the names of their classes.
    keepNames: true,
    // V8 keeps the source of running code once per thread, in two bytes a character if any character needs them.
    charset: "ascii",
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  // Modules look for it next to themselves.
  cpSync(
    join(root, "node_modules/source-map/lib/mappings.wasm"),
    join(dist, "shared/mappings.wasm"),
  );
  const programs = JSON.parse(readFileSync(join(root, "tools", "wasm-programs.json"), "utf8"));
  for (const { built } of programs) cpSync(join(root, built), join(dist, built));
  // For authors of connectors.
  cpSync(build, dist, { recursive: true, filter: (path) => !/\.(?:js|map)$/.test(path) });
  await mustRun(process.execPath, [join(dist, "src/cli/help/write-overview.js")], { cwd: root });
  return 0;
});
