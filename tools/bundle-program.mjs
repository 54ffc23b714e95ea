// build/ (what the compiler makes of each file) -> dist/: a few files in place of a thousand, because to find
// and load that many modules took most of the time of a short command. Shared code is in shared files, so
// that each class exists once.
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { rolldown } from "rolldown";

import { main, mustRun } from "./child.mjs";
import { root } from "./set-up.mjs";

const build = join(root, "build");
const dist = join(root, "dist");

/** Files that are started, or imported by others, by their names. */
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
  // What the benchmarks measure.
  "activities/stage/stage-threads",
  "connectors/registry",
  "src/inbox/sqlite/database",
  "src/limits",
  "src/log",
  "src/security/secret",
  "src/staging/folder",
  "src/state/contract/keys/fingerprints",
  "src/state/contract/keys/known-records",
  "src/state/text-block",
  "src/state/postgres/migrate",
  "src/state/postgres/open",
  "src/state/sqlite/open",
  "src/webhooks/server",
];

/**
 * Packages that stay where npm put them: native code and what finds its own files, Temporal's, of which the
 * worker and we must have the same copy, OpenTelemetry's, which Temporal's interceptor needs too, and vitest, which
 * runs the kit in its own. Temporal's client is ours alone: to find its modules, and those of gRPC, took a tenth of
 * a short command.
 */
const apart =
  /^(?:node:|@opentelemetry\/|@temporalio\/(?!client(?:\/|$))|pino$|pino-pretty$|thread-stream$|vitest$)/;

/** Modules ask for files beside them by `import.meta.url`: it stays what it would be without a bundle. */
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
    input: Object.fromEntries(entries.map((name) => [name, join(build, `${name}.js`)])),
    platform: "node",
    external: (id) => apart.test(id),
    plugins: [ownUrls],
  });
  await bundle.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    // Errors cross threads by the names of their classes.
    keepNames: true,
  });
  // A module finds it beside itself.
  const programs = JSON.parse(readFileSync(join(root, "tools", "wasm-programs.json"), "utf8"));
  for (const { built } of programs) cpSync(join(root, built), join(dist, built));
  // For those who write connectors.
  cpSync(build, dist, { recursive: true, filter: (path) => !/\.(?:js|map)$/.test(path) });
  await mustRun(process.execPath, [join(dist, "src/cli/help/write-overview.js")], { cwd: root });
  return 0;
});
