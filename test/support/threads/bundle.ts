import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { TestProject } from "vitest/node";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, "build", "test-threads");

/** The files that threads start from, without their extension. */
const entries = [
  "activities/stage/stage-thread",
  "src/inbox/sqlite/thread",
  "src/sandbox/thread-main",
  "src/state/postgres/thread",
  "src/state/sqlite/thread",
] as const;

/** The variable of the tests' processes that maps, as JSON, the URL of a thread's source to the URL of its bundle. */
export const bundlesVariable = "SLUICE_TEST_THREADS";

/** External modules: those that find their own files, and those of which other threads must have the same copy. */
const apart = /^(?:node:|@temporalio\/|pino$|thread-stream$|sluice\/)/;

/** A module looks for files next to its source, wherever its code is. */
const sourceUrls = {
  name: "source-urls",
  transform: (code: string, id: string): string | undefined => {
    if (!id.startsWith(root) || id.includes("/node_modules/")) return undefined;
    return code
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
  },
};

/** Writes a file unless it is there with the same text: Node caches the compiled code of an unchanged file. */
function write(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch {
    // It is not there yet.
  }
  mkdirSync(dirname(path), { recursive: true });
  // Another run of the tests may read it.
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text);
  renameSync(part, path);
}

async function bundle(): Promise<void> {
  // The tests' own processes import this file, too.
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(root, `${name}.ts`)])),
    platform: "node",
    external: (id) => apart.test(id),
    plugins: [sourceUrls],
  });
  const { output } = await made.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    keepNames: true,
  });
  await made.close();
  for (const file of output) {
    if (file.type === "chunk") write(join(folder, file.fileName), file.code);
  }
}

/**
 * Before the suite: bundles each thread's code into a few files. From source, a thread finds and reads some three
 * hundred modules, which takes 0.4 s of processor time: a sixth of all that the suite takes.
 */
export async function setup(project: TestProject): Promise<void> {
  // Coverage counts the lines of the source.
  if (project.config.coverage.enabled) return;
  await bundle();
  project.onTestsRerun(bundle);
  const bundles = entries.map((name) => [
    pathToFileURL(join(root, `${name}.ts`)).href,
    pathToFileURL(join(folder, `${name}.js`)).href,
  ]);
  process.env[bundlesVariable] = JSON.stringify(Object.fromEntries(bundles));
}
