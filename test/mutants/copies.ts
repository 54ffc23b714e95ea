import { chmod, cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { applyEdit, type Mutant } from "./mutant.ts";

/** The parts of the project that the named tests need. */
const parts = [
  "activities",
  "bin",
  "connectors",
  "deploy",
  "docs",
  "package.json",
  "src",
  "templates",
  "test",
  "testing",
  "tools",
  "tsconfig.json",
  "vitest.config.ts",
  "wasm",
  "workflows",
];

/** Copies the project from one folder to another; both use the same packages. */
export async function copyProject(from: string, to: string): Promise<void> {
  // Build output must be newer than its sources in the copy, too.
  const settings = { recursive: true, preserveTimestamps: true };
  for (const part of parts) await cp(join(from, part), join(to, part), settings);
  // Postgres refuses to run as root, and its own user must be able to reach the tests' clusters, which are below.
  await chmod(to, 0o711);
  await symlink(join(from, "node_modules"), join(to, "node_modules"));
}

/** Plants a mutant in a copy of the project. @throws {Error} the code to change has moved. */
export async function plant(folder: string, { edits }: Pick<Mutant, "edits">): Promise<void> {
  for (const edit of edits) {
    const path = join(folder, edit.file);
    await writeFile(path, applyEdit(await readFile(path, "utf8"), edit));
  }
}
